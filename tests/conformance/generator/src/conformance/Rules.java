// SPDX-License-Identifier: GPL-2.0-or-later
package conformance;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;

/** What the definitions do not say: combinations of values that mean something for the bytes that follow. */
final class Rules {
    private static final short UNSUPPORTED_VERSION = 35;
    private static final short NONE = 0;

    private Rules() {
    }

    /** A producer that wants no acknowledgement gets no response. */
    static void setAcks(Object request, boolean wanted) {
        if (request instanceof ProduceRequestData produce) {
            short acks = produce.acks();
            produce.setAcks((short) (!wanted ? 0 : acks == 0 ? 1 : acks < 0 ? -1 : 1));
        }
    }

    /** An ApiVersions response with this error is in version 0, whatever was asked for. */
    static void avoidFallback(Object response) {
        if (response instanceof ApiVersionsResponseData versions && versions.errorCode() == UNSUPPORTED_VERSION) {
            versions.setErrorCode(NONE);
        }
    }

    /** After this exchange the connection carries bare tokens, so nothing may come behind it. */
    static boolean endsConnection(ApiMessageType api, int version) {
        return api == ApiMessageType.SASL_HANDSHAKE && version == 0;
    }
}
