package dev.quire.bench.kill;

import java.io.IOException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The disk tier of a running proxy, as its admin API shows it.
 *
 * @param state {@code on}, {@code loading}, or why it is not used
 * @param stored responses that were written so far
 * @param text the whole answer
 */
record DiskState(String state, long stored, String text) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    static DiskState of(KilledProxy proxy) throws IOException {
        var text = proxy.admin("/v1/tiers").text();
        var disk = JSON.readTree(text).path("disk");
        return new DiskState(
                disk.path("state").stringValue(""),
                disk.path("writes").path("stored").longValue(0),
                text);
    }

    boolean isLoading() {
        return state.equals("loading");
    }

    boolean isOn() {
        return state.equals("on");
    }
}
