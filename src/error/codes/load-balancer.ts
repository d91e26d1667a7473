import { defineCodes } from '../define.ts'

/** Load balancers in front of the API servers. */
export const loadBalancerCodes = defineCodes({
  KX_LB_INTERFACE: {
    kind: 'config',
    en: {
      problem: 'no interface of the host has the address {address}',
      cause: 'The virtual address goes to the interface of the internal address, and the host has no such address.',
      fix: 'correct internalAddress of the host, or name the interface: keepalived.interface or kubevip.interface of controlPlaneEndpoint',
    },
    zh: {
      problem: '主机没有任何接口拥有地址 {address}',
      cause: '虚拟地址配置在内部地址所在的接口上，而主机没有该地址。',
      fix: '更正主机的 internalAddress，或在 controlPlaneEndpoint 的 keepalived.interface 或 kubevip.interface 中指定接口',
    },
  },
  KX_LB_PASSWORD: {
    kind: 'config',
    en: {
      problem: 'keepalived.authPass must have one to eight characters, without spaces, quotes or #',
      cause: 'VRRP has room for eight characters and cuts off the rest; the file it stands in has its own meaning for the others.',
      fix: 'choose another password, or leave it out: then one is made',
    },
    zh: {
      problem: 'keepalived.authPass 必须为一到八个字符，且不含空格、引号或 #',
      cause: 'VRRP 只能容纳八个字符并截断其余部分；其他字符在配置文件中有特殊含义。',
      fix: '换一个密码，或省略：届时会自动生成',
    },
  },
})
