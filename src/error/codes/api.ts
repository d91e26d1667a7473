import { defineCodes } from '../define.ts'

/** The API server and those who talk to it. */
export const apiCodes = defineCodes({
  KX_UNAUTHORIZED: {
    kind: 'usage',
    en: {
      problem: 'no valid token was given',
      cause: 'The request has no token, or one that is unknown, expired or revoked.',
      fix: 'give a token: Authorization: Bearer kxt_…, or KUBEXM_TOKEN; make one with: kubexm token create',
    },
    zh: {
      problem: '没有有效的令牌',
      cause: '请求没有令牌，或令牌未知、已过期、已吊销。',
      fix: '提供令牌：Authorization: Bearer kxt_…，或 KUBEXM_TOKEN；用 kubexm token create 创建',
    },
  },
  KX_FORBIDDEN: {
    kind: 'usage',
    en: {
      problem: 'this needs the role {needed}; the token {name} has {role}',
      cause: 'A viewer only looks, an operator changes clusters, an admin manages tokens as well.',
      fix: 'use a token with the role {needed}',
    },
    zh: {
      problem: '此操作需要角色 {needed}；令牌 {name} 的角色是 {role}',
      cause: 'viewer 只能查看，operator 可以变更集群，admin 还可以管理令牌。',
      fix: '使用角色为 {needed} 的令牌',
    },
  },
  KX_CROSS_ORIGIN: {
    kind: 'usage',
    en: {
      problem: 'a request from another site may not use the session of this browser',
      cause: 'The cookie came with a request that did not come from the console itself.',
      fix: 'use the console, or send the token in the Authorization header',
    },
    zh: {
      problem: '来自其他站点的请求不能使用此浏览器的会话',
      cause: 'Cookie 随一个并非来自控制台本身的请求发来。',
      fix: '使用控制台，或在 Authorization 头中发送令牌',
    },
  },
  KX_REQUEST: {
    kind: 'usage',
    en: {
      problem: 'the request is malformed: {what}',
      cause: 'A parameter, a header or the body is not what the API describes.',
      fix: 'see /openapi.json and docs/api.md',
    },
    zh: {
      problem: '请求格式有误：{what}',
      cause: '某个参数、头或正文与 API 描述不符。',
      fix: '参见 /openapi.json 与 docs/api.md',
    },
  },
  KX_TOO_LARGE: {
    kind: 'usage',
    en: {
      problem: 'the body is larger than {limit} bytes',
      cause: 'A config of 5 000 hosts has less than half of that.',
      fix: 'send only the config',
    },
    zh: {
      problem: '正文超过 {limit} 字节',
      cause: '包含 5000 台主机的配置还不到它的一半。',
      fix: '只发送配置',
    },
  },
  KX_MEDIA_TYPE: {
    kind: 'usage',
    en: {
      problem: 'a body of the type {type} is not understood',
      cause: 'Configs are YAML or JSON.',
      fix: 'send Content-Type: application/yaml or application/json',
    },
    zh: {
      problem: '无法理解类型为 {type} 的正文',
      cause: '配置是 YAML 或 JSON。',
      fix: '发送 Content-Type: application/yaml 或 application/json',
    },
  },
  KX_RATE: {
    kind: 'usage',
    en: {
      problem: 'too many requests: try again in {seconds} s',
      cause: 'One address may send only so many requests a minute.',
      fix: 'wait, or raise --rate-limit on the server',
    },
    zh: {
      problem: '请求过多：{seconds} 秒后再试',
      cause: '同一地址每分钟的请求数有限。',
      fix: '等待，或提高服务器的 --rate-limit',
    },
  },
  KX_ROUTE_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'there is nothing at {method} {path}',
      cause: 'The path or the method is misspelt, or belongs to another version.',
      fix: 'see /openapi.json',
    },
    zh: {
      problem: '{method} {path} 不存在',
      cause: '路径或方法拼写有误，或属于另一个版本。',
      fix: '参见 /openapi.json',
    },
  },
  KX_TOKEN_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'there is no token {id} that still counts',
      cause: 'The id is misspelt, or the token was revoked before.',
      fix: 'list the tokens with: kubexm token list',
    },
    zh: {
      problem: '没有仍有效的令牌 {id}',
      cause: 'ID 拼写有误，或令牌已被吊销。',
      fix: '用 kubexm token list 列出令牌',
    },
  },
  KX_CONSOLE_MISSING: {
    kind: 'usage',
    en: {
      problem: 'this server has no console',
      cause: 'The console is files that are built once; they are not where the server looks for them. The API works without them.',
      fix: 'build it with npm run build in the clone, or name its directory with --console, and start the server again',
    },
    zh: {
      problem: '此服务器没有控制台',
      cause: '控制台是预先构建的文件，但服务器没有找到它们。没有控制台时 API 仍可使用。',
      fix: '在源码目录中运行 npm run build 构建，或用 --console 指定其目录，然后重新启动服务器',
    },
  },
  KX_LISTEN: {
    kind: 'connection',
    en: {
      problem: 'cannot listen on {address}: {why}',
      cause: 'The port is taken, the address is not one of this machine, or the TLS files cannot be used.',
      fix: 'choose another --listen address, or mend what is named',
    },
    zh: {
      problem: '无法监听 {address}：{why}',
      cause: '端口被占用、地址不属于本机，或 TLS 文件不可用。',
      fix: '换一个 --listen 地址，或修正所指出的问题',
    },
  },
  KX_PUBLIC_ADDRESS: {
    kind: 'usage',
    en: {
      problem: 'refused to listen on {address}: {why}',
      cause:
        'Others than this machine could reach the server: tokens would go over the network in the clear, or nobody would be asked for one.',
      fix: 'give --tls-cert and --tls-key, make a token with: kubexm token create; or listen on 127.0.0.1',
    },
    zh: {
      problem: '拒绝监听 {address}：{why}',
      cause: '其他机器可以访问该服务器：令牌会以明文经过网络，或无人需要令牌。',
      fix: '提供 --tls-cert 与 --tls-key，并用 kubexm token create 创建令牌；或监听 127.0.0.1',
    },
  },
  KX_SERVER_UNREACHABLE: {
    kind: 'connection',
    en: {
      problem: 'the server {server} does not answer: {why}',
      cause: 'The URL is wrong, the server is down, or its certificate is not trusted.',
      fix: 'check --server; for a certificate of your own set NODE_EXTRA_CA_CERTS to the file of its CA',
    },
    zh: {
      problem: '服务器 {server} 没有应答：{why}',
      cause: 'URL 有误、服务器未运行，或其证书不受信任。',
      fix: '检查 --server；自有证书请把 NODE_EXTRA_CA_CERTS 设为其 CA 文件',
    },
  },
  KX_SERVER_REFUSED: {
    kind: 'usage',
    en: {
      problem: 'the server {server} refused the request: {problem}',
      cause: 'The server answered with status an error.',
      fix: 'see what the server said above',
    },
    zh: {
      problem: '服务器 {server} 拒绝了请求：{problem}',
      cause: '服务器返回了错误。',
      fix: '参见上面服务器给出的说明',
    },
  },
  KX_TOO_MANY_STREAMS: {
    kind: 'usage',
    en: {
      problem: '{count} streams are open already',
      cause: 'Each stream keeps a connection; the server holds so many and no more.',
      fix: 'close streams that nobody watches',
    },
    zh: {
      problem: '已有 {count} 个打开的流',
      cause: '每个流占用一个连接；服务器最多保持这么多。',
      fix: '关闭无人查看的流',
    },
  },
})
