#!/bin/sh
# A cluster of one master and its workers, made by hand: the least that has to be done, everything in parallel that can be.
# What `kubexm create cluster` is measured against. It checks nothing, repairs nothing, can neither be resumed nor undone.
#
#   FILES    files in the layout of their sources        IMAGES   directory with image archives: all/*.tar for every host, master/*.tar
#   VERSION  of Kubernetes                                FLANNEL  manifest of the network
#   KEY      private key of root                          HOSTS    addresses, the master first
set -eu
: "${FILES:?}" "${IMAGES:?}" "${VERSION:?}" "${FLANNEL:?}" "${KEY:?}" "${HOSTS:?}"
work=$(mktemp -d)
trap 'for h in $HOSTS; do ssh -o ControlPath="$work/%h" -O exit "$h" 2>/dev/null || true; done; rm -rf "$work"' EXIT
on() {
  host=$1
  shift
  ssh -o ControlMaster=auto -o ControlPath="$work/%h" -o ControlPersist=60 -o BatchMode=yes -o StrictHostKeyChecking=no \
    -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o Ciphers=aes128-gcm@openssh.com -i "$KEY" "root@$host" "$@"
}
step() { echo "$(($(date +%s%N) / 1000000 - began)) ms: $*"; }
began=$(($(date +%s%N) / 1000000))
master=${HOSTS%% *}
github=$FILES/github.com
release=$FILES/dl.k8s.io/release/$VERSION/bin/linux/amd64

prepare() {
  on "$1" 'swapoff -a; modprobe overlay; modprobe br_netfilter
    printf "net.ipv4.ip_forward=1\nnet.bridge.bridge-nf-call-iptables=1\nnet.bridge.bridge-nf-call-ip6tables=1\n" >/etc/sysctl.d/99-k8s.conf
    sysctl -q -p /etc/sysctl.d/99-k8s.conf
    mkdir -p /opt/cni/bin /etc/containerd /etc/kubernetes/manifests /etc/systemd/system/kubelet.service.d'
  cat "$github"/containerd/containerd/releases/download/v2.1.4/containerd-2.1.4-linux-amd64.tar.gz | on "$1" 'tar -xz -C /usr/local'
  cat "$github"/kubernetes-sigs/cri-tools/releases/download/v1.34.0/crictl-v1.34.0-linux-amd64.tar.gz | on "$1" 'tar -xz -C /usr/local/bin'
  cat "$github"/containernetworking/plugins/releases/download/v1.7.1/cni-plugins-linux-amd64-v1.7.1.tgz | on "$1" 'tar -xz -C /opt/cni/bin'
  on "$1" 'cat >/usr/local/bin/runc && chmod 755 /usr/local/bin/runc' <"$github"/opencontainers/runc/releases/download/v1.3.3/runc.amd64
  for program in kubeadm kubelet kubectl; do
    on "$1" "cat >/usr/local/bin/$program && chmod 755 /usr/local/bin/$program" <"$release/$program"
  done
  on "$1" 'containerd config default | sed -e "s/SystemdCgroup = false/SystemdCgroup = true/" -e "s,registry.k8s.io/pause:[0-9.]*,registry.k8s.io/pause:3.10.1," >/etc/containerd/config.toml
    printf "runtime-endpoint: unix:///run/containerd/containerd.sock\n" >/etc/crictl.yaml
    cat >/etc/systemd/system/containerd.service <<END
[Service]
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
[Install]
WantedBy=multi-user.target
END
    cat >/etc/systemd/system/kubelet.service <<END
[Service]
Environment="KUBELET_CONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=/usr/local/bin/kubelet \$KUBELET_CONFIG_ARGS \$KUBELET_KUBEADM_ARGS
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
END
    systemctl daemon-reload && systemctl enable -q --now containerd && systemctl enable -q kubelet'
  for archive in "$IMAGES"/all/*.tar; do on "$1" 'ctr -n k8s.io images import - >/dev/null' <"$archive"; done
  [ "$1" != "$master" ] || for archive in "$IMAGES"/master/*.tar; do on "$1" 'ctr -n k8s.io images import - >/dev/null' <"$archive"; done
}

for host in $HOSTS; do prepare "$host" & done
wait
step 'hosts prepared'
kubectl() { on "$master" kubectl --kubeconfig=/etc/kubernetes/admin.conf "$@"; }
on "$master" "kubeadm init --kubernetes-version=$VERSION --pod-network-cidr=10.233.64.0/18 --service-cidr=10.233.0.0/18 >/var/log/kubeadm.log 2>&1 || { tail -40 /var/log/kubeadm.log >&2; exit 1; }"
step 'kubeadm init'
kubectl apply -f - <"$FLANNEL" >/dev/null
join=$(on "$master" 'kubeadm token create --print-join-command 2>/dev/null')
for host in ${HOSTS#* }; do on "$host" "$join >/var/log/kubeadm.log 2>&1 || { tail -40 /var/log/kubeadm.log >&2; exit 1; }" & done
wait
step 'workers joined'
kubectl wait --for=condition=Ready node --all --timeout=180s >/dev/null
step 'nodes ready'
kubectl -n kube-system rollout status deployment/coredns --timeout=180s >/dev/null
step 'CoreDNS ready'
