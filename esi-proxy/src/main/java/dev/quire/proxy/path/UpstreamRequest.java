package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.OriginRequest.Capabilities;
import dev.quire.proxy.route.EsiProcessing;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Builds the requests to origins from those of clients. */
public final class UpstreamRequest {
    private static final String CAPABILITY = "Surrogate-Capability";

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
        var esi = lookup.rules().esi();
        var client = lookup.exchange().forwarded();
        var lines = new Fields.Builder().add("Host", lookup.authority());
        boolean isOnePart = isOnePart(lookup, purpose, esi);
        boolean hasManyCookies = client.all("Cookie").size() > 1;
        client.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (goesAlong(lower, purpose, esi, isOnePart)
                    && (lookup.sameAuthority() || !RequestFields.isForOwnHostOnly(lower))
                    && !(hasManyCookies && lower.equals("cookie"))) {
                lines.add(name, value);
            }
        });
        if (hasManyCookies && lookup.sameAuthority()) {
            // HTTP/2 clients may send several (RFC 9113 §8.2.3); origins read only the first.
            lines.add("Cookie", String.join("; ", client.all("Cookie")));
        }
        lines.addAll(conditions);
        var inclusion = lookup.inclusion();
        return new RequestHead(
                purpose == Purpose.STORE ? "GET" : lookup.request().method(),
                lookup.key().scheme(),
                lookup.authority(),
                lookup.key().target(),
                inclusion == null ? lines.build() : ofFragment(lines.build(), lookup, inclusion));
    }

    /** The hashes by which similar requests go to the same server. */
    static Affinity affinity(Lookup lookup) {
        var exchange = lookup.exchange();
        // The first entry is the client, as far as the proxies in front are trusted.
        var chain = exchange.forwarded().first("X-Forwarded-For");
        int client;
        if (chain == null) {
            client = exchange.peer().address().getHostAddress().hashCode();
        } else {
            int comma = chain.indexOf(',');
            client = (comma < 0 ? chain : chain.substring(0, comma)).strip().hashCode();
        }
        var key = lookup.key();
        return new Affinity(client, key.authority().hashCode() * 31 + key.target().hashCode());
    }

    /**
     * The {@code Surrogate-Capability} members to send: those of a trusted surrogate, then ours;
     * null if ESI is off. The surrogate's own stamp is not forwarded.
     */
    @Nullable Capabilities capabilities(Lookup lookup) {
        if (lookup.rules().esi() == EsiProcessing.OFF) {
            return null;
        }
        var downstream =
                lookup.isDelegated()
                        ? SurrogateCapability.withoutStamps(
                                lookup.exchange().request().fields().all(CAPABILITY))
                        : "";
        return new Capabilities(downstream, deviceToken);
    }

    private static Fields ofFragment(Fields lines, Lookup lookup, Inclusion inclusion) {
        var terms = inclusion.terms();
        var fields = new Fields.Builder().addAll(lines);
        if (terms.body().isPresent()) {
            fields.add("Content-Type", "application/x-www-form-urlencoded");
        }
        fields.add("X-ESI-Level", Integer.toString(inclusion.depth()));
        if (lookup.sameAuthority()) {
            // The URL of the page may be confidential, so other hosts do not receive it.
            fields.add("X-ESI-Parent", inclusion.parent().url());
        }
        return terms.edited(fields.build());
    }

    /**
     * Whether to request a range. Never with ESI on, since part of a document cannot be parsed, and
     * never several ranges, which cost an origin more than the whole.
     */
    private static boolean isOnePart(Lookup lookup, Purpose purpose, EsiProcessing esi) {
        return purpose == Purpose.FORWARD
                && esi == EsiProcessing.OFF
                && RangeAnswer.asksForOnePart(lookup.request());
    }

    private static boolean goesAlong(
            String lower, Purpose purpose, EsiProcessing esi, boolean isOnePart) {
        if (purpose == Purpose.INCLUDE) {
            return !lower.equals("host") && !RequestFields.isOfPageOnly(lower);
        }
        return switch (lower) {
            case "host", "expect" -> false;
            case "range", "if-range" -> isOnePart;
            // With ESI off, the origin's content codings are ordinary variants.
            case "accept-encoding" -> esi == EsiProcessing.OFF;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD;
            default -> true;
        };
    }
}
