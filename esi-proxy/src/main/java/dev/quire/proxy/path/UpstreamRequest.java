package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.RangeAnswer;
import dev.quire.core.policy.RequestFields;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.proxy.exchange.OriginRequest.Affinity;
import dev.quire.proxy.exchange.OriginRequest.Capabilities;
import dev.quire.proxy.route.EsiMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the requests that go up to an origin out of the one that came from a client. */
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
     * The request that {@code inquiry} sends up. Credentials go to no origin but the one the client
     * spoke to.
     *
     * @param conditions lines to add
     */
    RequestHead of(Inquiry inquiry, Fields conditions, Purpose purpose) {
        var esi = inquiry.rules().esi();
        var client = inquiry.exchange().forwarded();
        var lines = new Fields.Builder().add("Host", inquiry.authority());
        boolean isOnePart = isOnePart(inquiry, purpose, esi);
        boolean hasManyCookies = client.all("Cookie").size() > 1;
        client.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (goesAlong(lower, purpose, esi, isOnePart)
                    && (inquiry.sameAuthority() || !RequestFields.isForOwnHostOnly(lower))
                    && !(hasManyCookies && lower.equals("cookie"))) {
                lines.add(name, value);
            }
        });
        if (hasManyCookies && inquiry.sameAuthority()) {
            // HTTP/2 clients may send several (RFC 9113 §8.2.3); origins look at the first only.
            lines.add("Cookie", String.join("; ", client.all("Cookie")));
        }
        lines.addAll(conditions);
        var inclusion = inquiry.inclusion();
        return new RequestHead(
                purpose == Purpose.STORE ? "GET" : inquiry.request().method(),
                inquiry.key().scheme(),
                inquiry.authority(),
                inquiry.key().target(),
                inclusion == null ? lines.build() : ofFragment(lines.build(), inquiry, inclusion));
    }

    /** What decides which server gets it, where that is to be the same for like requests. */
    static Affinity affinity(Inquiry inquiry) {
        var exchange = inquiry.exchange();
        // The first of them is the client, as far as those who say so are believed.
        var chain = exchange.forwarded().first("X-Forwarded-For");
        int client;
        if (chain == null) {
            client = exchange.peer().address().getHostAddress().hashCode();
        } else {
            int comma = chain.indexOf(',');
            client = (comma < 0 ? chain : chain.substring(0, comma)).strip().hashCode();
        }
        var key = inquiry.key();
        return new Affinity(client, key.authority().hashCode() * 31 + key.target().hashCode());
    }

    /**
     * What surrogates can do: a trusted one's words, then ours; null where there is no ESI. His
     * stamp is between him and us.
     */
    @Nullable Capabilities capabilities(Inquiry inquiry) {
        if (inquiry.rules().esi() == EsiMode.OFF) {
            return null;
        }
        var downstream =
                inquiry.isDelegated()
                        ? SurrogateCapability.withoutStamps(
                                inquiry.exchange().request().fields().all(CAPABILITY))
                        : "";
        return new Capabilities(downstream, deviceToken);
    }

    private static Fields ofFragment(Fields lines, Inquiry inquiry, Inclusion inclusion) {
        var terms = inclusion.terms();
        var fields = new Fields.Builder().addAll(lines);
        if (terms.body().isPresent()) {
            fields.add("Content-Type", "application/x-www-form-urlencoded");
        }
        fields.add("X-ESI-Level", Integer.toString(inclusion.depth()));
        if (inquiry.sameAuthority()) {
            // The page's address may hold what is no other host's business.
            fields.add("X-ESI-Parent", inclusion.parent().url());
        }
        return terms.edited(fields.build());
    }

    /**
     * Whether a part of the body is what to ask for. A part of a document cannot be parsed, so none
     * is asked for where there may be ESI; and several at once cost an origin more than the whole.
     */
    private static boolean isOnePart(Inquiry inquiry, Purpose purpose, EsiMode esi) {
        return purpose == Purpose.FORWARD
                && esi == EsiMode.OFF
                && RangeAnswer.asksForOnePart(inquiry.request());
    }

    private static boolean goesAlong(
            String lower, Purpose purpose, EsiMode esi, boolean isOnePart) {
        if (purpose == Purpose.INCLUDE) {
            return !lower.equals("host") && !RequestFields.isOfPageOnly(lower);
        }
        return switch (lower) {
            case "host", "expect" -> false;
            case "range", "if-range" -> isOnePart;
            // Where nothing is parsed the origin's codings are variants like any other.
            case "accept-encoding" -> esi == EsiMode.OFF;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD;
            default -> true;
        };
    }
}
