package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.OriginRequest.Capabilities;
import dev.quire.proxy.route.EsiProcessing;
import org.jspecify.annotations.Nullable;

/** Builds the requests to origins from those of clients. */
public final class UpstreamRequest {
    private final String deviceToken;

    /**
     * @param deviceToken our name in {@code Surrogate-Capability}
     */
    public UpstreamRequest(String deviceToken) {
        this.deviceToken = deviceToken;
    }

    /**
     * Builds the request for {@code lookup}. Credentials are sent only to the origin that the
     * client addressed.
     *
     * @param conditions fields to add
     */
    RequestHead of(Lookup lookup, Fields conditions, Purpose purpose) {
        var lines =
                new Fields.Builder()
                        .add("Host", lookup.key().authority())
                        .addAll(lookup.sentFields(purpose))
                        .addAll(conditions);
        return new RequestHead(
                purpose == Purpose.STORE ? "GET" : lookup.request().method(),
                lookup.key().scheme(),
                lookup.key().authority(),
                lookup.key().target(),
                lines.build());
    }

    /** The hashes by which similar requests go to the same server. */
    static Affinity affinity(Lookup lookup) {
        var exchange = lookup.exchange();
        var key = lookup.key();
        return new Affinity(
                exchange.client().hashCode(),
                key.authority().hashCode() * 31 + key.target().hashCode());
    }

    /**
     * The {@code Surrogate-Capability} members to send: those of a trusted surrogate, then ours;
     * null if ESI is off. The surrogate's own stamp is not forwarded.
     */
    @Nullable Capabilities capabilities(Lookup lookup) {
        return lookup.rules().esi() == EsiProcessing.OFF
                ? null
                : new Capabilities(lookup.capabilities(), deviceToken);
    }
}
