import { defineCodes } from '../define.ts'
import { configRuleCodes } from './config-rules.ts'
import { configWarningCodes } from './config-warnings.ts'

/** Reading a config file: its characters, its YAML, its keys and values. */
const configFileCodes = defineCodes({
  KX_CONFIG: {
    kind: 'config',
    en: {
      problem: '{file} has {count}',
      cause: 'The config file does not describe a cluster kubexm can make.',
      fix: 'mend the places listed above; "kubexm config validate -f {file}" checks the file without touching a host',
    },
    zh: {
      problem: '{file} 有 {count}',
      cause: '配置文件描述的不是 kubexm 能创建的集群。',
      fix: '修正上面列出的位置；"kubexm config validate -f {file}" 只检查文件，不接触主机',
    },
  },
  KX_CONFIG_UNREADABLE: {
    kind: 'config',
    en: {
      problem: 'cannot read {file}: {why}',
      cause: 'The file is not there, or this user may not read it.',
      fix: 'check the path given with -f',
    },
    zh: { problem: '无法读取 {file}：{why}', cause: '文件不存在，或当前用户无权读取。', fix: '检查 -f 指定的路径' },
  },
  KX_CONFIG_SYNTAX: {
    kind: 'config',
    en: { problem: 'this is not YAML: {what}', cause: 'The text cannot be read as YAML at this place.', fix: '{how}' },
    zh: { problem: '不是合法的 YAML：{what}', cause: '此处的文本无法按 YAML 解析。', fix: '{how}' },
  },
  KX_CONFIG_LOOKALIKE: {
    kind: 'config',
    en: {
      problem: '{name} "{char}" ({point}) stands where "{ascii}" belongs',
      cause: 'An input method or a word processor put in a character that only looks like the right one.',
      fix: 'write "{ascii}"{rest}',
    },
    zh: {
      problem: '此处应为 "{ascii}"，却写成了 {name} "{char}"（{point}）',
      cause: '输入法或文字处理软件写入了外形相似的字符。',
      fix: '改写为 "{ascii}"{rest}',
    },
  },
  KX_CONFIG_TAB: {
    kind: 'config',
    en: { problem: 'the line is indented with a tab', cause: 'YAML allows only spaces for indentation.', fix: 'indent with spaces' },
    zh: { problem: '该行使用了制表符缩进', cause: 'YAML 只允许用空格缩进。', fix: '改用空格缩进' },
  },
  KX_CONFIG_NO_SPACE: {
    kind: 'config',
    en: {
      problem: '"{text}" has no space after its colon',
      cause: 'Without the space YAML takes the whole text for one word.',
      fix: 'write {better}',
    },
    zh: { problem: '"{text}" 的冒号后缺少空格', cause: '没有空格时 YAML 会把整段文本当成一个词。', fix: '改写为 {better}' },
  },
  KX_CONFIG_DUPLICATE_KEY: {
    kind: 'config',
    en: {
      problem: '{key} is given twice, first on line {first}',
      cause: 'Of two equal keys one would be lost.',
      fix: 'keep one of the two',
    },
    zh: { problem: '{key} 出现了两次，第一次在第 {first} 行', cause: '两个相同的键会丢失其中一个。', fix: '只保留一个' },
  },
  KX_CONFIG_DOCUMENTS: {
    kind: 'config',
    en: {
      problem: 'the file holds more than one document; the second starts here',
      cause: 'One file describes one cluster.',
      fix: 'remove the "---" line and what follows it, or put each cluster into its own file',
    },
    zh: {
      problem: '文件包含多个文档，第二个从这里开始',
      cause: '一个文件只描述一个集群。',
      fix: '删除 "---" 及其后的内容，或把每个集群放到单独的文件',
    },
  },
  KX_CONFIG_TOO_LARGE: {
    kind: 'config',
    en: {
      problem: 'the file has {size} bytes; {limit} is the most',
      cause: 'No cluster needs a config this large; reading it would only cost memory.',
      fix: 'check that this is the right file',
    },
    zh: {
      problem: '文件有 {size} 字节，上限为 {limit}',
      cause: '没有集群需要这么大的配置，读取它只会耗费内存。',
      fix: '检查是否选错了文件',
    },
  },
  KX_CONFIG_TOO_DEEP: {
    kind: 'config',
    en: {
      problem: 'values are nested more than {limit} deep',
      cause: 'No field of the schema lies that deep.',
      fix: 'check the indentation and brackets here',
    },
    zh: { problem: '嵌套超过 {limit} 层', cause: 'schema 中没有这么深的字段。', fix: '检查此处的缩进和括号' },
  },
  KX_CONFIG_ALIAS_BOMB: {
    kind: 'config',
    en: {
      problem: 'the aliases (*name) stand for more than {limit} values',
      cause: 'Aliases that hold aliases grow without bound, by accident or on purpose.',
      fix: 'write the values out',
    },
    zh: { problem: '别名（*name）展开后超过 {limit} 个值', cause: '别名套别名会无限膨胀，无论有意还是无意。', fix: '直接写出这些值' },
  },
  KX_CONFIG_ALIAS_UNKNOWN: {
    kind: 'config',
    en: {
      problem: '*{name} refers to no finished anchor above it',
      cause: 'An alias can stand only for a value that was marked with &{name} before.',
      fix: 'mark the value with &{name} first, or write it out',
    },
    zh: {
      problem: '*{name} 之前没有对应的锚点',
      cause: '别名只能引用前面用 &{name} 标记过的值。',
      fix: '先用 &{name} 标记该值，或直接写出',
    },
  },
  KX_CONFIG_NOT_A_MAP: {
    kind: 'config',
    en: {
      problem: 'the file holds {seen}, not a Cluster',
      cause: 'A config is a map with apiVersion, kind, metadata and spec.',
      fix: 'start with "kubexm config init"',
    },
    zh: {
      problem: '文件内容是 {seen}，不是 Cluster',
      cause: '配置应是包含 apiVersion、kind、metadata、spec 的映射。',
      fix: '可用 "kubexm config init" 生成起始文件',
    },
  },
  KX_CONFIG_API_VERSION: {
    kind: 'config',
    en: {
      problem: 'apiVersion {seen} is not known',
      cause: 'The file was written for another tool or another version of the schema.',
      fix: '{how}',
    },
    zh: { problem: '无法识别 apiVersion {seen}', cause: '该文件是为其他工具或其他版本的 schema 编写的。', fix: '{how}' },
  },
  KX_CONFIG_UNKNOWN_KEY: {
    kind: 'config',
    en: { problem: '{key} is not a field of {parent}', cause: 'A misspelt field would silently do nothing.', fix: '{how}' },
    zh: { problem: '{parent} 没有字段 {key}', cause: '拼错的字段会悄无声息地不起作用。', fix: '{how}' },
  },
  KX_CONFIG_MISSING: {
    kind: 'config',
    en: {
      problem: '{field} is missing',
      cause: 'The field has no default that would be right for everyone.',
      fix: 'add {field}, for example {example}',
    },
    zh: { problem: '缺少 {field}', cause: '该字段没有适合所有人的默认值。', fix: '添加 {field}，例如 {example}' },
  },
  KX_CONFIG_TYPE: {
    kind: 'config',
    en: { problem: '{seen} is {got}, where {expected} is needed', cause: 'The value is of another type than the field.', fix: '{how}' },
    zh: { problem: '{seen} 是 {got}，此处需要 {expected}', cause: '值的类型与字段不符。', fix: '{how}' },
  },
  KX_CONFIG_ENUM: {
    kind: 'config',
    en: { problem: '{seen} is not one of {options}', cause: 'The field takes one of a few words.', fix: 'write {best}' },
    zh: { problem: '{seen} 不在可选值 {options} 之中', cause: '该字段只接受少数几个词。', fix: '改写为 {best}' },
  },
  KX_CONFIG_NUMBER: {
    kind: 'config',
    en: {
      problem: '{seen} is out of bounds: {bound}',
      cause: 'The number is smaller or larger than the component accepts.',
      fix: 'write a number that is {bound}',
    },
    zh: { problem: '{seen} 超出范围：{bound}', cause: '该数值小于或大于组件允许的范围。', fix: '请填写满足 {bound} 的数值' },
  },
  KX_CONFIG_FORMAT: {
    kind: 'config',
    en: {
      problem: '{seen} is not {expected}',
      cause: 'The text does not have the form the field needs.',
      fix: 'write {expected}, for example {example}',
    },
    zh: { problem: '{seen} 不是 {expected}', cause: '文本的格式不符合该字段的要求。', fix: '请写成 {expected}，例如 {example}' },
  },
  KX_CONFIG_CONFLICT: {
    kind: 'config',
    en: {
      problem: '{spelling} says {seen}, {canonical} says {other}',
      cause: 'Two fields that mean the same have different values.',
      fix: 'keep {canonical} and remove {spelling}',
    },
    zh: {
      problem: '{spelling} 为 {seen}，而 {canonical} 为 {other}',
      cause: '含义相同的两个字段取值不同。',
      fix: '保留 {canonical}，删除 {spelling}',
    },
  },
  KX_SECRET_MISSING: {
    kind: 'config',
    en: {
      problem: 'the secret {what} is not there',
      cause: 'The environment variable is not set, the file cannot be read, or nobody was there to ask.',
      fix: '{how}',
    },
    zh: { problem: '找不到密钥 {what}', cause: '环境变量未设置、文件无法读取，或无人可询问。', fix: '{how}' },
  },
})

/** Everything that can be wrong with a config file. */
export const configCodes = { ...configFileCodes, ...configRuleCodes, ...configWarningCodes }
