# SPDX-License-Identifier: GPL-2.0-or-later
"""Kafka's APIs: name, versions, and the first flexible version, whose header has tagged fields (the protocol guide)."""

from typing import NamedTuple


class Api(NamedTuple):
    name: str
    lowest: int
    highest: int
    flexible: int | None  # first flexible version


APIS: dict[int, Api] = {
    0: Api("Produce", 0, 13, 9),
    1: Api("Fetch", 0, 18, 12),
    2: Api("ListOffsets", 0, 11, 6),
    3: Api("Metadata", 0, 13, 9),
    4: Api("LeaderAndIsr", 0, 7, 4),
    5: Api("StopReplica", 0, 4, 2),
    6: Api("UpdateMetadata", 0, 8, 6),
    7: Api("ControlledShutdown", 0, 3, 3),
    8: Api("OffsetCommit", 0, 10, 8),
    9: Api("OffsetFetch", 0, 10, 6),
    10: Api("FindCoordinator", 0, 6, 3),
    11: Api("JoinGroup", 0, 9, 6),
    12: Api("Heartbeat", 0, 4, 4),
    13: Api("LeaveGroup", 0, 5, 4),
    14: Api("SyncGroup", 0, 5, 4),
    15: Api("DescribeGroups", 0, 6, 5),
    16: Api("ListGroups", 0, 5, 3),
    17: Api("SaslHandshake", 0, 1, None),
    18: Api("ApiVersions", 0, 5, 3),
    19: Api("CreateTopics", 0, 7, 5),
    20: Api("DeleteTopics", 0, 6, 4),
    21: Api("DeleteRecords", 0, 2, 2),
    22: Api("InitProducerId", 0, 6, 2),
    23: Api("OffsetForLeaderEpoch", 0, 4, 4),
    24: Api("AddPartitionsToTxn", 0, 5, 3),
    25: Api("AddOffsetsToTxn", 0, 4, 3),
    26: Api("EndTxn", 0, 5, 3),
    27: Api("WriteTxnMarkers", 0, 2, 1),
    28: Api("TxnOffsetCommit", 0, 6, 3),
    29: Api("DescribeAcls", 0, 3, 2),
    30: Api("CreateAcls", 0, 3, 2),
    31: Api("DeleteAcls", 0, 3, 2),
    32: Api("DescribeConfigs", 0, 4, 4),
    33: Api("AlterConfigs", 0, 2, 2),
    34: Api("AlterReplicaLogDirs", 0, 2, 2),
    35: Api("DescribeLogDirs", 0, 5, 2),
    36: Api("SaslAuthenticate", 0, 2, 2),
    37: Api("CreatePartitions", 0, 3, 2),
    38: Api("CreateDelegationToken", 0, 3, 2),
    39: Api("RenewDelegationToken", 0, 2, 2),
    40: Api("ExpireDelegationToken", 0, 2, 2),
    41: Api("DescribeDelegationToken", 0, 3, 2),
    42: Api("DeleteGroups", 0, 3, 2),
    43: Api("ElectLeaders", 0, 2, 2),
    44: Api("IncrementalAlterConfigs", 0, 1, 1),
    45: Api("AlterPartitionReassignments", 0, 1, 0),
    46: Api("ListPartitionReassignments", 0, 0, 0),
    47: Api("OffsetDelete", 0, 0, None),
    48: Api("DescribeClientQuotas", 0, 1, 1),
    49: Api("AlterClientQuotas", 0, 1, 1),
    50: Api("DescribeUserScramCredentials", 0, 0, 0),
    51: Api("AlterUserScramCredentials", 0, 0, 0),
    52: Api("Vote", 0, 2, 0),
    53: Api("BeginQuorumEpoch", 0, 1, 1),
    54: Api("EndQuorumEpoch", 0, 1, 1),
    55: Api("DescribeQuorum", 0, 2, 0),
    56: Api("AlterPartition", 0, 3, 0),
    57: Api("UpdateFeatures", 0, 2, 0),
    58: Api("Envelope", 0, 0, 0),
    59: Api("FetchSnapshot", 0, 1, 0),
    60: Api("DescribeCluster", 0, 2, 0),
    61: Api("DescribeProducers", 0, 0, 0),
    62: Api("BrokerRegistration", 0, 4, 0),
    63: Api("BrokerHeartbeat", 0, 2, 0),
    64: Api("UnregisterBroker", 0, 0, 0),
    65: Api("DescribeTransactions", 0, 0, 0),
    66: Api("ListTransactions", 0, 2, 0),
    67: Api("AllocateProducerIds", 0, 0, 0),
    68: Api("ConsumerGroupHeartbeat", 0, 1, 0),
    69: Api("ConsumerGroupDescribe", 0, 1, 0),
    70: Api("ControllerRegistration", 0, 0, 0),
    71: Api("GetTelemetrySubscriptions", 0, 0, 0),
    72: Api("PushTelemetry", 0, 0, 0),
    73: Api("AssignReplicasToDirs", 0, 0, 0),
    74: Api("ListConfigResources", 0, 1, 0),
    75: Api("DescribeTopicPartitions", 0, 0, 0),
    76: Api("ShareGroupHeartbeat", 0, 1, 0),
    77: Api("ShareGroupDescribe", 0, 1, 0),
    78: Api("ShareFetch", 0, 2, 0),
    79: Api("ShareAcknowledge", 0, 2, 0),
    80: Api("AddRaftVoter", 0, 1, 0),
    81: Api("RemoveRaftVoter", 0, 0, 0),
    82: Api("UpdateRaftVoter", 0, 0, 0),
    83: Api("InitializeShareGroupState", 0, 0, 0),
    84: Api("ReadShareGroupState", 0, 0, 0),
    85: Api("WriteShareGroupState", 0, 1, 0),
    86: Api("DeleteShareGroupState", 0, 0, 0),
    87: Api("ReadShareGroupStateSummary", 0, 1, 0),
    88: Api("StreamsGroupHeartbeat", 0, 1, 0),
    89: Api("StreamsGroupDescribe", 0, 1, 0),
    90: Api("DescribeShareGroupOffsets", 0, 1, 0),
    91: Api("AlterShareGroupOffsets", 0, 0, 0),
    92: Api("DeleteShareGroupOffsets", 0, 0, 0),
    93: Api("StreamsGroupTopologyDescriptionUpdate", 0, 0, 0),
    94: Api("UnregisterController", 0, 0, 0),
}

API_VERSIONS, CONTROLLED_SHUTDOWN = 18, 7


def request_header_version(key: int, version: int) -> int:
    if (key, version) == (CONTROLLED_SHUTDOWN, 0):
        return 0
    flexible = APIS[key].flexible
    return 2 if flexible is not None and version >= flexible else 1


def response_header_version(key: int, version: int) -> int:
    flexible = APIS[key].flexible
    return 1 if key != API_VERSIONS and flexible is not None and version >= flexible else 0
