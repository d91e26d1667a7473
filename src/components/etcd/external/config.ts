import { field, list, localPath, url } from '../../../config/primitives.ts'

/** How to reach an etcd that is already there. */
export const externalEtcdConfig = {
  endpoints: field(list(url()), 'Client URLs of the members.', ['https://192.168.6.6:2379']),
  caFile: field(localPath().optional(), 'CA certificate of the etcd, on this machine; not needed without TLS.', '/pki/etcd/ca.crt'),
  certFile: field(localPath().optional(), 'Client certificate for the API servers, on this machine.', '/pki/etcd/etcd.crt'),
  keyFile: field(localPath().optional(), 'Key of the client certificate, on this machine.', '/pki/etcd/etcd.key'),
}
