/** A config to begin with: valid but for its addresses and its password, which are to be replaced. */
export const starter = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata:
  name: demo
spec:
  hosts:
    - { name: node1, address: 172.16.0.2 }
    - { name: node2, address: 172.16.0.3 }
    - { name: node3, address: 172.16.0.4 }
  global:
    user: ubuntu
    # The server cannot read your files: the password or the private key is written here, and sealed before it is stored.
    password: change-me
  roleGroups:
    master: [node1]
    worker: ["node[2:3]"]
`
