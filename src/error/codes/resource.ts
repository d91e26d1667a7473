import { defineCodes } from '../define.ts'

/** Getting artifacts, proving them, and making the local mirror. */
export const resourceCodes = defineCodes({
  KX_DOWNLOAD: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'cannot download {url}: {why}',
      cause: 'The source could not be reached, cut the transfer, or sent something else than it announced, and went on doing so.',
      fix: 'check the network and the proxy variables (HTTPS_PROXY, NO_PROXY), or use --mirror URL, KMZONE=cn or --bundle',
    },
    zh: {
      problem: '无法下载 {url}：{why}',
      cause: '下载源无法访问、传输中断，或返回内容与声明不符，且多次重试仍如此。',
      fix: '检查网络和代理变量（HTTPS_PROXY、NO_PROXY），或使用 --mirror URL、KMZONE=cn、--bundle',
    },
  },
  KX_DOWNLOAD_REFUSED: {
    kind: 'connection',
    en: {
      problem: '{url} answered {status}',
      cause: 'The source does not have this file, or does not give it to us.',
      fix: 'check the version in the config; for a private source check the URL and the credentials',
    },
    zh: { problem: '{url} 返回 {status}', cause: '下载源没有该文件，或拒绝提供。', fix: '检查配置中的版本；如为私有源，请检查地址和凭据' },
  },
  KX_CHECKSUM: {
    kind: 'connection',
    en: {
      problem: '{what} has the wrong checksum: expected {expected}, got {got}',
      cause: 'The file was damaged on its way, replaced at its source, or the expected checksum is wrong. It has been removed.',
      fix: 'try again; if it stays, compare the checksum with the one the publisher announces before you trust either',
    },
    zh: {
      problem: '{what} 校验和错误：期望 {expected}，实际 {got}',
      cause: '文件在传输中损坏、在源站被替换，或期望值有误。该文件已删除。',
      fix: '重试；若仍失败，请与发布者公布的校验和比对后再决定信任哪一个',
    },
  },
  KX_DISK_SPACE: {
    kind: 'preflight',
    en: {
      problem: '{path} has {free} free, {need} are needed',
      cause: 'The disk that holds the artifact cache is too full.',
      fix: 'free space there, or set KUBEXM_CACHE to a larger disk',
    },
    zh: {
      problem: '{path} 剩余 {free}，需要 {need}',
      cause: '存放制品缓存的磁盘空间不足。',
      fix: '释放空间，或将 KUBEXM_CACHE 指向更大的磁盘',
    },
  },
  KX_CATALOGUE: {
    kind: 'config',
    en: {
      problem: 'the catalogue {file} is not valid: {why}',
      cause: 'A catalogue file of the user has a wrong shape.',
      fix: 'mend the named place; see docs/artifacts.md for the shape',
    },
    zh: { problem: '目录文件 {file} 无效：{why}', cause: '用户的目录文件结构有误。', fix: '修正所指位置；结构参见 docs/artifacts.md' },
  },
  KX_CATALOGUE_MISSING: {
    kind: 'config',
    en: {
      problem: 'the catalogue has no {what}',
      cause: 'This version of kubexm does not know the asked-for artifact, version or architecture.',
      fix: 'use one of: {known}; or add it to ~/.kubexm/catalogue.yaml',
    },
    zh: {
      problem: '目录中没有 {what}',
      cause: '当前 kubexm 不认识所要求的制品、版本或架构。',
      fix: '可用：{known}；或将其加入 ~/.kubexm/catalogue.yaml',
    },
  },
  KX_IMAGE_NAME: {
    kind: 'config',
    en: {
      problem: '"{image}" is not an image name',
      cause: 'An image is written [registry/]repository[:tag][@sha256:…], the repository in lower case.',
      fix: 'mend the name',
    },
    zh: {
      problem: '"{image}" 不是有效的镜像名',
      cause: '镜像应写作 [registry/]repository[:tag][@sha256:…]，仓库名为小写。',
      fix: '修正镜像名',
    },
  },
  KX_IMAGE_ARCHIVE: {
    kind: 'config',
    en: {
      problem: '{file} is not a whole OCI archive: {why}',
      cause: 'The file was cut, or is something else.',
      fix: 'remove it and let kubexm fetch it again',
    },
    zh: { problem: '{file} 不是完整的 OCI 归档：{why}', cause: '文件被截断，或并非 OCI 归档。', fix: '删除后让 kubexm 重新获取' },
  },
  KX_IMAGE_MISSING: {
    kind: 'connection',
    en: {
      problem: 'registry {registry} has no image {image}',
      cause: 'The version or the name in the config is wrong, or a mirror or private registry was not given all images.',
      fix: 'check the versions in the config; into a registry of your own push the image, then run the same command with --resume',
    },
    zh: {
      problem: '镜像仓库 {registry} 中没有镜像 {image}',
      cause: '配置中的版本或名称有误，或镜像站、私有仓库中的镜像不全。',
      fix: '检查配置中的版本；如为自有仓库，请推送该镜像，然后用 --resume 重新执行同一命令',
    },
  },
  KX_IMAGE_PULL: {
    kind: 'step',
    en: {
      problem: 'the host cannot pull {image}: {why}',
      cause: 'The registry does not have the image, or the host does not reach it, does not trust it, or has no login for it.',
      fix: 'push the image to the registry, or mend registry.auths and registry.type in the config, then run the same command with --resume',
    },
    zh: {
      problem: '主机无法拉取 {image}：{why}',
      cause: '仓库中没有该镜像，或主机无法访问、不信任该仓库，或没有登录信息。',
      fix: '将镜像推送到仓库，或修正配置中的 registry.auths 和 registry.type，然后用 --resume 重新执行同一命令',
    },
  },
  KX_PROGRAM_ARCH: {
    kind: 'connection',
    en: {
      problem: '{what} is no program for {arch}: {seen}',
      cause: 'The source serves a file for another architecture, or something else, under this address. It has been removed here.',
      fix: 'put the right file there, or name another source with --mirror, then run the same command with --resume',
    },
    zh: {
      problem: '{what} 不是 {arch} 的程序：{seen}',
      cause: '下载源在该地址提供了其他架构的文件或其他内容。本机上的该文件已删除。',
      fix: '在下载源放置正确的文件，或用 --mirror 指定其他源，然后用 --resume 重新执行同一命令',
    },
  },
  KX_IMAGE_PLATFORM: {
    kind: 'config',
    en: {
      problem: '{image} is not made for {platform}',
      cause: 'The image exists, but not for the architecture of the hosts.',
      fix: 'choose another version of the image; it has: {known}',
    },
    zh: {
      problem: '{image} 没有 {platform} 版本',
      cause: '镜像存在，但没有对应主机架构的版本。',
      fix: '选择该镜像的其他版本；现有：{known}',
    },
  },
  KX_REGISTRY: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'registry {registry}: {what} failed: {why}',
      cause: 'The registry could not be reached or refused the request.',
      fix: 'check that it runs and that registry.auths has the right user, password and TLS settings for it',
    },
    zh: {
      problem: '镜像仓库 {registry}：{what} 失败：{why}',
      cause: '镜像仓库无法访问或拒绝了请求。',
      fix: '检查仓库是否运行，以及 registry.auths 中的用户、密码和 TLS 设置',
    },
  },
  KX_REGISTRY_AUTH: {
    kind: 'connection',
    en: {
      problem: 'registry {registry} refuses {what}: {why}',
      cause: 'No credentials were given for this registry, or they are wrong or lack the right.',
      fix: 'set registry.auths."{registry}" in the config',
    },
    zh: {
      problem: '镜像仓库 {registry} 拒绝 {what}：{why}',
      cause: '未提供该仓库的凭据，或凭据错误、权限不足。',
      fix: '在配置中设置 registry.auths."{registry}"',
    },
  },
  KX_BUNDLE: {
    kind: 'config',
    en: {
      problem: 'the bundle {file} is not whole: {why}',
      cause: 'The file was cut or changed after it was made, or was made for another config.',
      fix: 'make it again with "kubexm bundle create"',
    },
    zh: {
      problem: '离线包 {file} 不完整：{why}',
      cause: '文件被截断或修改，或是为其他配置制作的。',
      fix: '用 "kubexm bundle create" 重新制作',
    },
  },
  KX_BUNDLE_LACKS: {
    kind: 'config',
    en: {
      problem: 'the bundle {file} lacks {what} and {more} more artifacts that this cluster needs',
      cause: 'It was made for another config, for other versions, or for hosts of another architecture.',
      fix: 'make it again with "kubexm bundle create -f" for this config; give --arch, or arch: in the config, where hosts are not amd64',
    },
    zh: {
      problem: '离线包 {file} 缺少 {what} 以及本集群需要的另外 {more} 个制品',
      cause: '它是为其他配置、其他版本或其他架构的主机制作的。',
      fix: '用 "kubexm bundle create -f" 为当前配置重新制作；主机不是 amd64 时使用 --arch，或在配置中写明 arch:',
    },
  },
  KX_ARTIFACT_OFFLINE: {
    kind: 'config',
    en: {
      problem: '{what} is not here, and this run may not fetch it',
      cause:
        'global.offlineMode is set, so that nothing outside the fleet is asked, and neither a bundle nor the cache of this machine has it.',
      fix: 'give --bundle with a bundle made by "kubexm bundle create -f" for this config',
    },
    zh: {
      problem: '本地没有 {what}，且本次运行不允许下载',
      cause: '已设置 global.offlineMode，不访问集群之外的地址，而离线包和本机缓存中都没有它。',
      fix: '使用 --bundle 指定由 "kubexm bundle create -f" 为当前配置制作的离线包',
    },
  },
  KX_PACKAGE_SOURCE: {
    kind: 'config',
    en: {
      problem: 'cannot put the packages {what} into the bundle: {why}',
      cause: 'The repository or directory named by --packages does not have them, cannot be read, or cannot be trusted.',
      fix: 'name another source: --packages "debian-12=deb https://mirror.example.com/debian bookworm main" or --packages rocky-9=/directory/of/rpms',
    },
    zh: {
      problem: '无法将软件包 {what} 放入离线包：{why}',
      cause: '--packages 指定的软件源或目录中没有这些软件包、无法读取或不可信任。',
      fix: '指定其他来源：--packages "debian-12=deb https://mirror.example.com/debian bookworm main" 或 --packages rocky-9=/rpm/目录',
    },
  },
  KX_LOCK_FILE: {
    kind: 'bug',
    en: {
      problem: 'cannot lock {file}',
      cause: 'The locking program ended without giving the lock.',
      fix: 'check that the disk is writable and has inodes left',
    },
    zh: { problem: '无法锁定 {file}', cause: '加锁程序未能取得锁就结束了。', fix: '检查磁盘是否可写、inode 是否充足' },
  },
  KX_MIRROR_GO: {
    kind: 'preflight',
    en: {
      problem: 'the mirror needs Go {need} or newer to build what cannot be downloaded; this machine has {have}',
      cause: 'Without internet the mirror builds programs from their Go modules.',
      fix: 'install a newer Go (its bin directory in PATH), or give the mirror internet access',
    },
    zh: {
      problem: '镜像站需要 Go {need} 或更新版本来构建无法下载的程序；本机为 {have}',
      cause: '没有互联网时，镜像站从 Go 模块构建程序。',
      fix: '安装更新的 Go（其 bin 目录加入 PATH），或提供互联网访问',
    },
  },
  KX_MIRROR_BUILD: {
    kind: 'step',
    en: {
      problem: 'building {artifact} failed: {why}',
      cause: 'A module could not be fetched, or does not build on this machine.',
      fix: 'see the lines above; run "kubexm lab mirror" again: what is made stays made',
    },
    zh: {
      problem: '构建 {artifact} 失败：{why}',
      cause: '模块无法获取，或无法在本机构建。',
      fix: '查看上面的输出；再次运行 "kubexm lab mirror"：已完成的部分会保留',
    },
  },
  KX_MIRROR_PACKAGES: {
    kind: 'step',
    en: {
      problem: 'cannot get the packages {packages}: {why}',
      cause: 'The mirror takes some images from Debian packages through apt-get.',
      fix: 'run "apt-get update", and use a machine of the Debian family',
    },
    zh: {
      problem: '无法获取软件包 {packages}：{why}',
      cause: '镜像站通过 apt-get 用 Debian 软件包制作部分镜像。',
      fix: '运行 "apt-get update"，并使用 Debian 系的机器',
    },
  },
  KX_MIRROR_SERVE: {
    kind: 'step',
    en: {
      problem: 'cannot serve the mirror on {address}: {why}',
      cause: 'The port is taken, the address is not on this machine, or the registry did not start.',
      fix: 'choose another port, or stop what holds it',
    },
    zh: {
      problem: '无法在 {address} 提供镜像站服务：{why}',
      cause: '端口被占用、地址不在本机，或仓库未能启动。',
      fix: '更换端口，或停止占用它的程序',
    },
  },
})
