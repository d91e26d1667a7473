/**
 * Feature gates and the minor versions of Kubernetes that know them: `name:first-last`, without a last one while it is still known.
 * Taken from the feature gate reference of the Kubernetes documentation; gates gone before 1.20 are left out.
 */
const table = `
APIListChunking:8-32 APIPriorityAndFairness:18-30 APIResponseCompression:7- APISelfSubjectReview:26-29 APIServerIdentity:20-
APIServerTracing:22- APIServingWithRoutine:30- AdmissionWebhookMatchConditions:27-32 AdvancedAuditing:7-27
AggregatedDiscoveryEndpoint:26-32 AllowDNSOnlyNodeCSR:31- AllowInsecureBackendProxy:17-25
AllowInsecureKubeletCertificateSigningRequests:31- AllowParsingUserUIDFromCertAuth:33- AllowServiceLBStatusOnNonLB:29-34
AllowUnsafeMalformedObjectDeletion:32- AnonymousAuthConfigurableEndpoints:31- AnyVolumeDataSource:18- AppArmor:4-32
AppArmorFields:30-32 AtomicFIFO:36- AttachVolumeLimit:11-21 AuthorizeNodeWithSelectors:31-
AuthorizePodWebsocketUpgradeCreatePermission:35- AuthorizeWithSelectors:31- BalanceAttachedNodeVolumes:11-22 BlockVolume:9-21
BoundServiceAccountTokenVolume:13-23 BtreeWatchCache:32- CBORServingAndStorage:32- CPUManager:8-32 CPUManagerPolicyAlphaOptions:23-
CPUManagerPolicyBetaOptions:23- CPUManagerPolicyOptions:22- CRDObservedGenerationTracking:35- CRDValidationRatcheting:28-
CRIContainerLogRotation:10-22 CRIListStreaming:36- CSIBlockVolume:11-21 CSIDriverRegistry:12-21 CSIInlineVolume:15-26
CSIMigration:14-26 CSIMigrationAWS:14-26 CSIMigrationAWSComplete:17-21 CSIMigrationAzureDisk:15-26
CSIMigrationAzureDiskComplete:17-21 CSIMigrationAzureFile:15-29 CSIMigrationAzureFileComplete:17-21 CSIMigrationGCE:14-27
CSIMigrationGCEComplete:17-21 CSIMigrationOpenStack:14-25 CSIMigrationOpenStackComplete:17-21 CSIMigrationPortworx:23-35
CSIMigrationRBD:23-30 CSIMigrationvSphere:18-28 CSIMigrationvSphereComplete:19-22 CSINodeExpandSecret:25-30 CSINodeInfo:12-22
CSIServiceAccountToken:20-24 CSIServiceAccountTokenSecrets:35- CSIStorageCapacity:19-27 CSIVolumeFSGroupPolicy:19-25
CSIVolumeHealth:21- CSRDuration:22-25 ChangeContainerStatusOnKubeletRestart:35- ClearingNominatedNodeNameAfterBinding:34-
CloudControllerManagerWatchBasedRoutesReconciliation:35- CloudControllerManagerWebhook:27- CloudDualStackNodeIPs:27-31
ClusterTrustBundle:27- ClusterTrustBundleProjection:29- ComponentFlagz:32- ComponentSLIs:26-34 ComponentStatusz:32-
ConcurrentWatchObjectDecode:31- ConfigurableFSGroupPolicy:18-25 ConsistentHTTPGetHandlers:25-30 ConsistentListFromCache:28-
ConstrainedImpersonation:35- ContainerCheckpoint:25- ContainerRestartRules:34- ContainerStopSignals:33- ContextualLogging:24-
ControllerManagerLeaderMigration:21-26 ControllerManagerReleaseLeaderElectionLockOnExit:36- CoordinatedLeaderElection:31-
CronJobControllerV2:20-23 CronJobTimeZone:24-28 CronJobsScheduledAnnotation:28- CrossNamespaceVolumeDataSource:26-
CustomCPUCFSQuotaPeriod:12- CustomResourceFieldSelectors:30- CustomResourceValidationExpressions:23-30 DRAAdminAccess:32-
DRAConsumableCapacity:34- DRAControlPlaneController:26-31 DRADeviceBindingConditions:34- DRADeviceTaintRules:35- DRADeviceTaints:33-
DRAExtendedResource:34- DRAListTypeAttributes:36- DRANodeAllocatableResources:36- DRAPartitionableDevices:33- DRAPrioritizedList:33-
DRAResourceClaimDeviceStatus:32- DRAResourceClaimGranularStatusAuthorization:36- DRAResourcePoolStatus:36-
DRASchedulerFilterTimeout:34- DRAWorkloadResourceClaims:36- DaemonSetUpdateSurge:21-26 DeclarativeValidation:33-
DeclarativeValidationBeta:36- DeclarativeValidationTakeover:33- DefaultHostNetworkHostPortsInPodTemplates:28-30
DefaultPodTopologySpread:19-25 DelegateFSGroupToCSIDriver:22-27 DeploymentReplicaSetTerminatingReplicas:33-
DetectCacheInconsistency:34- DevicePluginCDIDevices:28-33 DevicePlugins:8-27 DisableAcceleratorUsageMetrics:19-27
DisableAllocatorDualWrite:31- DisableCPUQuotaWithExclusiveCPUs:33- DisableCloudProviders:22-32
DisableKubeletCloudCredentialProviders:23-32 DisableNodeKubeProxyVersion:29- DownwardAPIHugePages:20-28 DryRun:12-27
DynamicKubeletConfig:4-25 DynamicProvisioningScheduling:11- DynamicResourceAllocation:30- EfficientWatchResumption:20-32
ElasticIndexedJob:27- EnableEquivalenceClassCache:8-23 EndpointSlice:16-24 EndpointSliceNodeName:20-24 EndpointSliceProxying:18-24
EndpointSliceTerminatingCondition:20-27 EnvFiles:34- EphemeralContainers:16-26 EvenPodsSpread:16-21 EventedPLEG:26-
ExecProbeTimeout:20- ExpandCSIVolumes:14-26 ExpandInUsePersistentVolumes:11-26 ExpandPersistentVolumes:8-26 ExpandedDNSConfig:22-29
ExperimentalHostUserNamespaceDefaulting:5-29 ExternalPolicyForExternalIP:18-22 ExternalServiceAccountTokenSigner:32-
GRPCContainerProbe:23-28 GangScheduling:35- GenericEphemeralVolume:19-24 GenericWorkload:35- GitRepoVolumeDriver:33-
GracefulNodeShutdown:20- GracefulNodeShutdownBasedOnPodPriority:23- HPAConfigurableTolerance:33- HPAContainerMetrics:20-31
HPAScaleToZero:16- HonorPVReclaimPolicy:23-35 HostnameOverride:34- HugePageStorageMediumSize:18-24 HyperVContainer:10-20
IPTablesOwnershipCleanup:25-29 IPv6DualStack:15-24 IdentifyPodOS:23-26 ImageMaximumGCAge:29- ImageVolume:31-
ImageVolumeWithDigest:35- ImmutableEphemeralVolumes:18-24 InOrderInformers:33- InPlacePodLevelResourcesVerticalScaling:35-
InPlacePodVerticalScaling:27- InPlacePodVerticalScalingAllocatedStatus:32- InPlacePodVerticalScalingExclusiveCPUs:32-
InPlacePodVerticalScalingExclusiveMemory:34- InTreePluginAWSUnregister:21-30 InTreePluginAzureDiskUnregister:21-30
InTreePluginAzureFileUnregister:21-30 InTreePluginGCEUnregister:21-30 InTreePluginOpenStackUnregister:21-30
InTreePluginPortworxUnregister:23-35 InTreePluginRBDUnregister:23-30 InTreePluginvSphereUnregister:21-30 IndexedJob:21-25
InformerResourceVersion:30- IngressClassNamespacedParams:21-24 JobBackoffLimitPerIndex:28- JobManagedBy:30-
JobMutableNodeSchedulingDirectives:23-28 JobPodFailurePolicy:25-32 JobPodReplacementPolicy:28- JobReadyPods:23-30
JobSuccessPolicy:30- JobTrackingWithFinalizers:22-28 KMSv1:28- KMSv2:25-31 KMSv2KDF:28-31 KubeProxyDrainingTerminatingNodes:28-32
KubeletCgroupDriverFromCRI:28- KubeletCrashLoopBackOffMax:32- KubeletCredentialProviders:20-28 KubeletEnsureSecretPulledImages:33-
KubeletFineGrainedAuthz:32- KubeletInUserNamespace:22- KubeletPSI:33- KubeletPodResources:13-29
KubeletPodResourcesDynamicResources:27- KubeletPodResourcesGet:27- KubeletPodResourcesGetAllocatable:21-29 KubeletSeparateDiskGC:29-
KubeletServiceAccountTokenForCredentialProviders:33- KubeletTracing:25- LegacyNodeRoleBehavior:16-22
LegacyServiceAccountTokenCleanUp:28-31 LegacyServiceAccountTokenNoAutoGeneration:24-28 LegacyServiceAccountTokenTracking:26-29
ListFromCacheSnapshot:33- LoadBalancerIPMode:29-34 LocalStorageCapacityIsolation:7-26
LocalStorageCapacityIsolationFSQuotaMonitoring:15- LogarithmicScaleDown:21- LoggingAlphaOptions:24- LoggingBetaOptions:24-
ManifestBasedAdmissionControlConfig:36- MatchLabelKeysInPodAffinity:29- MatchLabelKeysInPodTopologySpread:25-
MatchLabelKeysInPodTopologySpreadSelectorMerge:34- MaxUnavailableStatefulSet:24- MemoryManager:21- MemoryQoS:22-
MinDomainsInPodTopologySpread:24-31 MinimizeIPTablesRestore:26-29 MixedProtocolLBService:20-27 MultiCIDRRangeAllocator:25-28
MultiCIDRServiceAllocator:27- MutableCSINodeAllocatableCount:33- MutablePVNodeAffinity:35- MutablePodResourcesForSuspendedJobs:35-
MutableSchedulingDirectivesForSuspendedJobs:35- MutatingAdmissionPolicy:30- NFTablesProxyMode:29- NamespaceDefaultLabelName:21-23
NativeHistograms:36- NetworkPolicyEndPort:21-26 NetworkPolicyStatus:24-27 NewVolumeManagerReconstruction:25-31
NodeDeclaredFeatures:35- NodeDisruptionExclusion:16-22 NodeInclusionPolicyInPodTopologySpread:25- NodeLease:12-23 NodeLogQuery:27-
NodeOutOfServiceVolumeDetach:24-31 NodeSwap:22- NominatedNodeNameForExpectation:34- NonPreemptingPriority:15-25 OpenAPIEnums:23-
OpenAPIV3:23-28 OpportunisticBatching:35- OrderedNamespaceDeletion:30- PDBUnhealthyPodEvictionPolicy:26-32
PersistentVolumeClaimUnusedSinceTime:36- PersistentVolumeLastPhaseTransitionTime:28-32 PodAffinityNamespaceSelector:21-25
PodAndContainerStatsFromCRI:23- PodCertificateRequest:34- PodDeletionCost:21- PodDisruptionBudget:3-25 PodDisruptionConditions:25-33
PodHasNetworkCondition:25-27 PodHostIPs:28-31 PodIndexLabel:28- PodInfoAPI:35- PodLevelResourceManagers:36- PodLevelResources:32-
PodLifecycleSleepAction:29- PodLifecycleSleepActionAllowZero:32- PodLogsQuerySplitStreams:32- PodObservedGenerationTracking:33-
PodOverhead:16-25 PodReadyToStartContainersCondition:28- PodSchedulingReadiness:26- PodSecurity:22-27 PodTopologyLabelsAdmission:33-
PortForwardWebsockets:30- PreferNominatedNode:21-25 PreferSameTrafficDistribution:33- PreventStaticPodAPIReferences:34-
ProbeTerminationGracePeriod:21-28 ProcMountType:12- ProxyTerminatingEndpoints:22-29 QOSReserved:11- ReadWriteOncePod:22-30
RecoverVolumeExpansionFailure:23- RecursiveReadOnlyMounts:30- ReduceDefaultCrashLoopBackOffDecay:33- RelaxedDNSSearchValidation:32-
RelaxedEnvironmentVariableValidation:30- RelaxedServiceNameValidation:34- ReloadKubeletServerCertificateFile:31-
RemainingItemCount:15-32 RemoteRequestHeaderUID:32- RemoveSelfLink:16-29 ResilientWatchCacheInitialization:31-
ResourceHealthStatus:31- RestartAllContainersOnContainerExits:35- RetroactiveDefaultStorageClass:25-28 RetryGenerateName:30-
RootCAConfigMap:13-22 RotateKubeletClientCertificate:8-21 RotateKubeletServerCertificate:7- RunAsGroup:14-22 RuntimeClass:12-24
RuntimeClassInImageCriApi:29- SCTPSupport:12-22 SELinuxChangePolicy:32- SELinuxMount:30- SELinuxMountReadWriteOncePod:25-
SchedulerAsyncAPICalls:34- SchedulerAsyncPreemption:32- SchedulerPopFromBackoffQ:33- SchedulerQueueingHints:28- SeccompDefault:22-28
SecurityContextDeny:27-29 SelectorIndex:18-25 SeparateCacheWatchRPC:28- SeparateTaintEvictionController:29- ServerSideApply:14-31
ServerSideFieldValidation:23-31 ServiceAccountIssuerDiscovery:18-23 ServiceAccountNodeAudienceRestriction:32-
ServiceAccountTokenJTI:29- ServiceAccountTokenNodeBinding:29- ServiceAccountTokenNodeBindingValidation:29-
ServiceAccountTokenPodNodeInfo:29- ServiceAppProtocol:18-22 ServiceIPStaticSubrange:24-27 ServiceInternalTrafficPolicy:21-27
ServiceLBNodePortControl:20-25 ServiceLoadBalancerClass:21-25 ServiceLoadBalancerFinalizer:15-20 ServiceNodeExclusion:8-22
ServiceNodePortStaticSubrange:27-30 ServiceTopology:17-22 ServiceTrafficDistribution:30- SetHostnameAsFQDN:19-24
ShardedListAndWatch:36- SidecarContainers:28- SizeBasedListCostEstimate:34- SizeMemoryBackedVolumes:20-34
SkipReadOnlyValidationGCE:28-30 StableLoadBalancerNodeSet:27-31 StaleControllerConsistencyDaemonSet:36-
StaleControllerConsistencyJob:36- StaleControllerConsistencyReplicaSet:36- StaleControllerConsistencyStatefulSet:36-
StartupProbe:16-23 StatefulSetAutoDeletePVC:23- StatefulSetMinReadySeconds:22-26 StatefulSetStartOrdinal:26-
StorageCapacityScoring:33- StorageNamespaceIndex:30- StorageObjectInUseProtection:10-24 StorageVersionAPI:20- StorageVersionHash:14-
StorageVersionMigrator:30- StreamingCollectionEncodingToJSON:33- StreamingCollectionEncodingToProtobuf:33-
StreamingProxyRedirects:5-24 StrictCostEnforcementForVAP:30- StrictCostEnforcementForWebhooks:31- StrictIPCIDRValidation:33-
StructuredAuthenticationConfiguration:29- StructuredAuthenticationConfigurationEgressSelector:34-
StructuredAuthenticationConfigurationJWKSMetrics:35- StructuredAuthorizationConfiguration:29- SupplementalGroupsPolicy:31-
SupportIPVSProxyMode:8-20 SupportNodePidsLimit:14-23 SupportPodPidsLimit:10-23 SuspendJob:21-25 Sysctls:11-22 SystemdWatchdog:32-
TTLAfterFinished:12-24 TaintBasedEvictions:6-20 TaintTolerationComparisonOperators:35- TokenRequest:10-21
TokenRequestProjection:11-21 TokenRequestServiceAccountUIDValidation:34- TopologyAwareHints:21- TopologyAwareWorkloadScheduling:36-
TopologyManager:16-28 TopologyManagerPolicyAlphaOptions:26- TopologyManagerPolicyBetaOptions:26- TopologyManagerPolicyOptions:26-
TranslateStreamCloseWebsocketRequests:29- UnauthenticatedHTTP2DOSMitigation:28- UnknownVersionInteroperabilityProxy:28-
UnlockWhileProcessingFIFO:36- UserNamespacesHostNetworkSupport:35- UserNamespacesPodSecurityStandards:29-34
UserNamespacesStatelessPodsSupport:25-27 UserNamespacesSupport:28- ValidateProxyRedirects:12-24 ValidatingAdmissionPolicy:26-31
VolumeAttributesClass:29- VolumeCapacityPriority:21-32 VolumeLimitScaling:35- VolumePVCDataSource:15-21
VolumeSnapshotDataSource:12-22 VolumeSubpath:10-24 VolumeSubpathEnvExpansion:14-24 WarningHeaders:19-24 WatchBookmark:15-32
WatchCacheInitializationPostStartHook:31- WatchFromStorageWithoutResourceVersion:30- WatchList:27- WatchListClient:30- WinDSR:14-
WinOverlay:14- WindowsCPUAndMemoryAffinity:32- WindowsEndpointSliceProxying:19-24 WindowsGracefulNodeShutdown:32-
WindowsHostNetwork:26- WindowsHostProcessContainers:22-27 WindowsRunAsUserName:16-20 WorkloadAwarePreemption:36- WorkloadWithJob:36-
ZeroLimitedNominalConcurrencyShares:29-31 ExtendWebSocketsToKubelet:36-
`

/** The newest minor version the table covers: about later ones it can say nothing. */
export const newestCovered = 36

const known: ReadonlyMap<string, readonly [first: number, last: number]> = new Map(
  table
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const [name = '', span = ''] = entry.split(':')
      const [first = '', last = ''] = span.split('-')
      return [name, [Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last)]]
    }),
)

/** Every gate of the table, for suggestions. */
export const gateNames: readonly string[] = [...known.keys()]

/** Whether a minor version of Kubernetes knows a feature gate, or how it came not to. */
export function gateIn(minor: number, gate: string): 'known' | 'not yet' | 'no longer' | 'never' | 'unsure' {
  if (gate === 'AllAlpha' || gate === 'AllBeta') return 'known'
  const span = known.get(gate)
  if (span === undefined) return minor > newestCovered ? 'unsure' : 'never'
  if (minor < span[0]) return 'not yet'
  return minor > span[1] ? 'no longer' : 'known'
}
