package dev.quire.test.memory;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.AuthorLifetime;
import dev.quire.core.policy.CacheKey;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One resource asked for: the page, or one of its fragments.
 *
 * @param request as the cache sees it: its fields pick the variant
 * @param body empty where there is none
 * @param forwarded the reader's fields as far as the application may see them
 * @param sameAuthority whether the reader's credentials may go along
 * @param inclusion null unless it is asked for as a fragment
 */
record Inquiry(
        CacheKey key,
        RequestHead request,
        Bytes body,
        Fields forwarded,
        boolean sameAuthority,
        @Nullable Inclusion inclusion) {

    /** What a request is sent for. */
    enum Purpose {
        /** The answer is for this reader alone: his conditions are the application's. */
        FORWARD,
        /** The answer may be stored for all: whole and unconditional. */
        STORE,
        /** As STORE, for the head of what is stored alone. */
        HEAD,
        /** As STORE, for a part of a page: nothing of the page's own body or form goes along. */
        INCLUDE
    }

    private static final String VIA = "1.1 quire";
    private static final String LOOPBACK = "127.0.0.1";

    /** The fields of {@code reader} as far as an application may see them. */
    static Fields forwarded(RequestHead reader) {
        var connection = new StringBuilder(",");
        reader.fields()
                .all("Connection")
                .forEach(line ->
                        connection
                                .append(line.toLowerCase(Locale.ROOT).replaceAll("\\s", ""))
                                .append(','));
        var up = new Fields.Builder();
        reader.fields()
                .forEach((name, value) -> {
                    var lower = name.toLowerCase(Locale.ROOT);
                    if (!FieldNames.isDropped(lower)
                            && !FieldNames.isClaim(lower)
                            && connection.indexOf("," + lower + ",") < 0) {
                        up.add(name, value);
                    }
                });
        up.add("Via", VIA);
        up.add("X-Forwarded-For", LOOPBACK);
        up.add("X-Forwarded-Proto", reader.scheme().text());
        up.add("X-Forwarded-Host", reader.authority());
        return up.build();
    }

    /** Whether the answer may come from the store, and go there. */
    boolean mayBeStored() {
        return inclusion == null || inclusion.mayBeStored();
    }

    boolean hasBody() {
        return body.length() > 0;
    }

    boolean isForPage() {
        return inclusion != null;
    }

    /** Whether an ESI document is wanted as it came. */
    boolean wantsSource() {
        return inclusion != null && inclusion.wantsSource();
    }

    AuthorLifetime lifetime() {
        return inclusion == null ? AuthorLifetime.UNSAID : inclusion.lifetime();
    }

    /** What an answer is for when it may be stored. */
    Purpose purpose() {
        return inclusion == null ? Purpose.STORE : Purpose.INCLUDE;
    }

    /** What an answer is for when it may not. */
    Purpose forwarding() {
        return inclusion == null ? Purpose.FORWARD : Purpose.INCLUDE;
    }

    /**
     * The request that goes up for it. Credentials go to no host but the one the reader spoke to.
     *
     * @param conditions lines to add
     * @param stamp drawn for it
     */
    RequestHead upstream(Fields conditions, Purpose purpose, String deviceToken, Stamp stamp) {
        var authority = sameAuthority ? request.authority() : key.authority();
        var lines = new Fields.Builder().add("Host", authority);
        boolean hasManyCookies = forwarded.all("Cookie").size() > 1;
        forwarded.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (goesAlong(lower, purpose)
                    && (sameAuthority || !FieldNames.isForOwnHostAlone(lower))
                    && !(hasManyCookies && lower.equals("cookie"))) {
                lines.add(name, value);
            }
        });
        if (hasManyCookies && sameAuthority) {
            lines.add("Cookie", String.join("; ", forwarded.all("Cookie")));
        }
        lines.addAll(conditions);
        var fields = inclusion == null ? lines.build() : ofFragment(lines.build(), inclusion);
        return new RequestHead(
                purpose == Purpose.STORE ? "GET" : request.method(),
                key.scheme(),
                authority,
                key.target(),
                new Fields.Builder()
                        .addAll(fields)
                        .add(
                                "Surrogate-Capability",
                                deviceToken
                                        + "=\"Surrogate/1.0 ESI/1.0 "
                                        + Stamp.CAPABILITY
                                        + stamp.text()
                                        + '"')
                        .build());
    }

    private Fields ofFragment(Fields lines, Inclusion as) {
        var fields = new Fields.Builder().addAll(lines);
        if (as.terms().body().isPresent()) {
            fields.add("Content-Type", "application/x-www-form-urlencoded");
        }
        fields.add("X-ESI-Level", Integer.toString(as.depth()));
        if (sameAuthority) {
            fields.add("X-ESI-Parent", as.parent().url());
        }
        return FieldNames.applied(fields.build(), as.terms().fields());
    }

    private static boolean goesAlong(String lower, Purpose purpose) {
        return switch (lower) {
            case "host", "expect", "range", "if-range", "accept-encoding" -> false;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD;
            default -> purpose != Purpose.INCLUDE || !Inclusion.isOfTheBody(lower);
        };
    }

    /**
     * The question for a fragment of the page that is asked for by {@code reader}.
     *
     * @param page of the page
     */
    static Inquiry ofFragment(Inquiry page, CacheKey key, Inclusion inclusion) {
        var terms = inclusion.terms();
        var request = asFragmentRequest(page.request());
        return new Inquiry(
                key,
                new RequestHead(
                        terms.method(),
                        request.scheme(),
                        request.authority(),
                        request.target(),
                        FieldNames.applied(request.fields(), terms.fields())),
                terms.body().map(text -> new Bytes(text.getBytes(ISO_8859_1))).orElse(Bytes.NONE),
                page.forwarded(),
                page.key().isOfSameAuthority(key),
                inclusion);
    }

    /** The page's request as its fragments are judged by: a GET without conditions or body. */
    private static RequestHead asFragmentRequest(RequestHead request) {
        boolean isPlain =
                request.isGet()
                        && !request.fields().contains("if-match")
                        && !request.fields().contains("if-unmodified-since");
        return isPlain
                ? request
                : new RequestHead(
                        "GET",
                        request.scheme(),
                        request.authority(),
                        request.target(),
                        request.fields().without(Inquiry::isOfThePageOnly));
    }

    private static boolean isOfThePageOnly(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("if-") || Inclusion.isOfTheBody(name);
    }
}
