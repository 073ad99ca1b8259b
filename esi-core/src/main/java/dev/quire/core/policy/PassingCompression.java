package dev.quire.core.policy;

import dev.quire.core.http.AcceptEncoding;
import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import java.util.List;

/**
 * Decides whether a response is compressed while it is passed on. Its length must reveal nothing
 * about a secret beside text that an attacker chose (BREACH): so neither the request has
 * credentials, nor is the response for one client.
 *
 * @param mode what is compressed at all
 * @param request as the origin gets it
 * @param accepted the codings that the client accepts
 * @param hasClaims whether a trusted peer says in {@code request} who the client is
 * @param takesChunks whether the client takes a body of unknown length and detects its truncation
 */
public record PassingCompression(
        Compression mode,
        RequestHead request,
        AcceptEncoding accepted,
        boolean hasClaims,
        boolean takesChunks) {

    private static final List<String> DIRECTIVES =
            List.of("Cache-Control", "CDN-Cache-Control", "Surrogate-Control");

    /**
     * Whether the body of {@code response} is compressed. HEAD is answered as GET.
     *
     * @param lengthBytes of the body, or -1 if unknown
     */
    public boolean appliesTo(ResponseHead response, long lengthBytes) {
        return response.status() == 200
                && takesChunks
                && accepted.prefersGzip()
                && (request.isGet() || request.isHead())
                && !hasClaims
                && !isForOneClient(request.fields())
                && mode.mayCompress(response, false, lengthBytes)
                && !response.fields().contains("Set-Cookie")
                && !isRestricted(response.fields());
    }

    private static boolean isForOneClient(Fields asked) {
        return asked.contains("Cookie") || asked.contains("Authorization");
    }

    /** Whether one of the fields for caches says {@code private} or {@code no-store}. */
    private static boolean isRestricted(Fields response) {
        for (var name : DIRECTIVES) {
            for (var directive : FieldList.members(response.all(name))) {
                if (begins(directive, "private") || begins(directive, "no-store")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean begins(String directive, String name) {
        return directive.regionMatches(true, 0, name, 0, name.length());
    }
}
