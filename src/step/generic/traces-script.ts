/**
 * Shell that knows the traces a node of Kubernetes leaves where no file tells of them: packet filter, interfaces, namespaces, mounts,
 * containers, cgroups, kernel parameters. It works with whatever of iptables (nft or legacy), nft, ipset, ipvsadm and crictl is there.
 */
const common = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
has() { command -v "$1" >/dev/null 2>&1; }

# The variants of iptables that can be asked without changing anything: a legacy one makes the tables it is asked for.
legacy_used() { grep -q . "/proc/net/\${1%tables}_tables_names" 2>/dev/null; }
variants() {
  for family in iptables ip6tables; do
    if has $family-nft-save; then echo $family-nft; fi
    if has $family-legacy-save && legacy_used $family; then echo $family-legacy; fi
    if ! has $family-nft-save && ! has $family-legacy-save && has $family-save; then
      if legacy_used $family || $family --version 2>/dev/null | grep -q nf_tables; then echo $family; fi
    fi
  done
}
our_chain='^(KUBE|CNI|FLANNEL)-'
our_table='^(kube-proxy|flannel-ipv4|flannel-ipv6|cni_hostport|cni_plugins_masquerade)$'
plain_table='^(ip|ip6) (filter|nat|mangle|raw|security)$'
our_link='^(cni0|flannel\\.[0-9]+|flannel-v6\\.[0-9]+|kube-ipvs0|nodelocaldns)$'
sysctls='vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes
net/ipv4/conf/all/route_localnet net/ipv4/conf/all/arp_ignore net/ipv4/conf/all/arp_announce net/ipv4/ip_forward
net/ipv6/conf/all/forwarding net/ipv6/conf/default/forwarding net/ipv4/conf/default/forwarding net/ipv4/conf/all/forwarding
net/netfilter/nf_conntrack_max net/netfilter/nf_conntrack_tcp_timeout_established net/netfilter/nf_conntrack_tcp_timeout_close_wait
net/ipv4/vs/conntrack net/ipv4/vs/conn_reuse_mode net/ipv4/vs/expire_nodest_conn net/ipv4/vs/expire_quiescent_template'
# Not from /sys, which in a container may show the interfaces of another network.
links() { sed -n 's/^ *\\([^ :]*\\):.*/\\1/p' /proc/net/dev; }
# What is mounted below a directory, the deepest first. Blanks in a path are written in octal there.
mounted_below() {
  sed -e 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .*/\\1/' -e 's/\\\\\\([0-7][0-7][0-7]\\)/\\\\0\\1/g' /proc/self/mountinfo |
    while read -r point; do case $point in "$1"?*) printf '%b\\n' "$point";; esac; done | sort -r
}
`

/**
 * Prints what there is now, one trace a line. No list is longer than anybody needs to see that something is there.
 * `$1` is the directory of the kubelet, `$2` the file that stands for having looked before.
 */
export const lookScript = `${common}
[ ! -e "$2" ] || echo marked
for tool in $(variants); do $tool-save 2>/dev/null | awk -v tool=$tool -v ours="$our_chain" '
  /^\\*/ { table = substr($1, 2) }
  /^:/ { name = substr($1, 2); if (name ~ ours) print "chain", tool, table, name }' | head -n 500; done
if has nft; then nft list tables 2>/dev/null | while read -r _ family name; do
  if echo "$name" | grep -Eq "$our_table" || echo "$family $name" | grep -Eq "$plain_table"; then echo "table $family $name"; fi; done; fi
if has ipset; then ipset list -n 2>/dev/null | grep '^KUBE-' | head -n 500 | sed 's/^/set /'; fi
if [ -r /proc/net/ip_vs ] && [ "$(wc -l </proc/net/ip_vs)" -gt 3 ]; then echo virtual-servers; fi
links | grep -E "$our_link" | sed 's/^/link /'
mounted_below "$1/" | head -n 500 | sed 's/^/mount /'
[ ! -e /run/flannel ] || echo 'directory /run/flannel'
for key in $sysctls; do [ ! -r /proc/sys/$key ] || echo "sysctl $key $(cat /proc/sys/$key)"; done
true
`

/**
 * Turns what iptables-save prints into what iptables-restore takes our chains away with. Rules of others that lead to one of them go
 * first, then what is in them, then they themselves; chains that `BEFORE` names are not ours.
 */
export const chainRemoval = `
BEGIN { n = split(ENVIRON["BEFORE"], lines, "\\n"); for (i = 1; i <= n; i++) kept[lines[i]] = 1 }
function mine(name) { return name ~ ours && !(("chain " tool " " table " " name) in kept) }
function flush_table() {
  if (count + jumps == 0) return
  print "*" table
  for (i = 1; i <= jumps; i++) print jump[i]
  for (i = 1; i <= count; i++) print "-F " chain[i]
  for (i = 1; i <= count; i++) print "-X " chain[i]
  print "COMMIT"
}
/^\\*/ { table = substr($1, 2); count = 0; jumps = 0 }
/^:/ { name = substr($1, 2); if (mine(name)) chain[++count] = name }
/^-A / {
  if (mine($2)) next
  rule = $0
  gsub(/"([^"\\\\]|\\\\.)*"/, "", rule)
  fields = split(rule, word, " ")
  for (i = 1; i < fields; i++) if ((word[i] == "-j" || word[i] == "-g") && mine(word[i + 1])) { jump[++jumps] = "-D" substr($0, 3); break }
}
/^COMMIT/ { flush_table() }`

/**
 * Takes away what there is now and was not before: the lines of `lookScript` from that time come as input.
 * `$1` is the directory of the kubelet, `$2` that of the runtime's state, `$3` the ranges of pods. Foreign rules, tables, interfaces and containers stay.
 */
export const cleanScript = `${common}
before=$(cat)
was() { printf '%s\\n' "$before" | grep -Fxq -- "$1"; }

# The top of this machine's own part of each cgroup hierarchy: in a container there is more than is ours to see.
pod_cgroups() {
  while IFS=: read -r _ names path; do
    case $names in
      '') if [ -d /sys/fs/cgroup/unified ]; then at=/sys/fs/cgroup/unified; else at=/sys/fs/cgroup; fi;;
      name=*) at=/sys/fs/cgroup/\${names#name=};;
      *) at=/sys/fs/cgroup/$names;;
    esac
    path=\${path%/init.scope}
    for pods in "$at\${path%/}"/kubepods*; do [ ! -d "$pods" ] || echo "$pods"; done
  done </proc/1/cgroup
}
kill_pods() {
  for pods in $(pod_cgroups); do find "$pods" -name cgroup.procs; done | while read -r file; do cat "$file" 2>/dev/null; done |
    while read -r pid; do [ "$pid" -le 1 ] || kill -9 "$pid" 2>/dev/null; done
  # Shims outlive a runtime that died; the name of the namespace tells those of pods from those of other containers.
  for process in /proc/[0-9]*; do
    read -r name <"$process/comm" 2>/dev/null || continue
    case $name in containerd-shim*) case "$(tr '\\0' ' ' <"$process/cmdline" 2>/dev/null)" in *' -namespace k8s.io '*) kill -9 "\${process##*/}" 2>/dev/null;; esac;; esac
  done
}
pods_left() { for pods in $(pod_cgroups); do find "$pods" -name cgroup.procs -exec cat {} + 2>/dev/null; done | grep -q '[1-9]'; }

# The runtime ends pods best: it takes their addresses and port mappings back as well. It may be dead, though.
if has crictl && timeout 5 crictl pods -q >/dev/null 2>&1; then timeout 60 crictl rmp --force --all >/dev/null 2>&1; fi
kill_pods
tries=0
while pods_left && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; kill_pods; done

detach() { umount -- "$1" 2>/dev/null || umount -l -- "$1"; }
mounted_below "$1/" | while read -r point; do was "mount $point" || detach "$point" || exit 1; done || exit 1
for part in io.containerd.grpc.v1.cri io.containerd.runtime.v2.task/k8s.io; do
  mounted_below "$2/$part/" | while read -r point; do detach "$point" || exit 1; done || exit 1
done
for space in /run/netns/cni-*; do
  [ -e "$space" ] || continue
  umount -l -- "$space" 2>/dev/null
  rm -f -- "$space" || exit 1
done

for link in $(links | grep -E "$our_link"); do was "link $link" || ip link delete dev "$link" || exit 1; done

# Routes into the range of pods, on interfaces that stay; the config has seen to it that nobody else has any there.
if has ip; then for range in $3; do
  ip route show root "$range" 2>/dev/null | while read -r route; do ip route delete $route || exit 1; done || exit 1
done; fi

# Each table at once, or not at all.
removal() {
  $1-save 2>/dev/null | BEFORE=$before awk -v tool="$1" -v ours="$our_chain" '${chainRemoval}'
}
for tool in $(variants); do
  rules=$(removal $tool)
  [ -n "$rules" ] || continue
  if printf '%s\\n' "$rules" | $tool-restore --noflush 2>/dev/null; then continue; fi
  # Somebody changed the table in between, or leads to one of our chains: what can go goes.
  table=
  printf '%s\\n' "$rules" | while IFS= read -r line; do
    case $line in '*'*) table=$line;; COMMIT) ;; *) printf '%s\\n%s\\nCOMMIT\\n' "$table" "$line" | $tool-restore --noflush 2>/dev/null;; esac
  done
done
if has ipset; then ipset list -n 2>/dev/null | grep '^KUBE-' | while read -r set; do was "set $set" || ipset destroy "$set"; done; fi
if has ipvsadm && [ -r /proc/net/ip_vs ] && ! was virtual-servers; then ipvsadm --clear; fi
if has nft; then nft list tables 2>/dev/null | while read -r _ family name; do
  ! was "table $family $name" || continue
  if echo "$name" | grep -Eq "$our_table"; then nft delete table "$family" "$name"
  # A table that iptables made for our chains, and in which nothing is left but the places where rules could be.
  elif echo "$family $name" | grep -Eq "$plain_table" &&
    ! nft -s list table "$family" "$name" 2>/dev/null | grep -Evq '^(#.*|table .* [{]|[[:space:]]*chain .* [{]|[[:space:]]*type .* policy accept;|[[:space:]]*[}]|[[:space:]]*)$'
  then nft delete table "$family" "$name"; fi
done; fi

if has systemctl; then systemctl stop kubepods.slice >/dev/null 2>&1; fi
tries=0
while [ -n "$(pod_cgroups)" ] && [ $tries -lt 20 ]; do
  for pods in $(pod_cgroups); do find "$pods" -depth -type d -exec rmdir {} + 2>/dev/null; done
  tries=$((tries + 1))
  [ -z "$(pod_cgroups)" ] || sleep 0.1
done
was 'directory /run/flannel' || rm -rf --one-file-system /run/flannel
printf '%s\\n' "$before" | while read -r kind key value; do
  if [ "$kind" = sysctl ] && [ -w "/proc/sys/$key" ] && [ "$(cat /proc/sys/$key)" != "$value" ]; then echo "$value" 2>/dev/null >"/proc/sys/$key"; fi
done
true
`
