package dev.quire.proxy.admin;

import dev.quire.core.policy.CacheKey;
import java.util.List;

/** Reads the JSON of {@code POST /v1/purge}. */
final class PurgeBody {
    private static final List<String> MEMBERS =
            List.of("urls", "tags", "hosts", "paths", "soft", "dryRun");

    private PurgeBody() {}

    /**
     * The request that {@code body} asks for.
     *
     * @throws InvalidRequest if it asks for none
     */
    static PurgeRequest read(byte[] body) {
        var json = JsonBody.read(body, MEMBERS);
        List<CacheKey> urls =
                json.strings("urls").stream().map(url -> PurgeRequest.key("urls", url)).toList();
        return new PurgeRequest(
                urls,
                json.strings("tags"),
                json.strings("hosts"),
                json.strings("paths"),
                json.truth("soft"),
                json.truth("dryRun"));
    }
}
