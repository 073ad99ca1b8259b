package dev.quire.bench.kill;

import java.io.IOException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The disk tier of a running proxy, as its admin API shows it.
 *
 * @param state {@code on}, {@code loading}, or why it is not used
 * @param isPaused whether nothing is written for some time, after a fault
 * @param stored responses that were written so far
 * @param failure why it has failed, or else the last error of the file system; may be empty
 * @param emptied why it began empty although there were files; may be empty
 * @param text the whole answer
 */
public record DiskState(
        String state, boolean isPaused, long stored, String failure, String emptied, String text) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    public static DiskState of(KilledProxy proxy) throws IOException {
        return of(proxy.admin("/v1/tiers").text());
    }

    static DiskState of(String text) {
        var disk = JSON.readTree(text).path("disk");
        var reason = string(disk, "reason");
        return new DiskState(
                string(disk, "state"),
                disk.path("paused").booleanValue(false),
                disk.path("writes").path("stored").longValue(0),
                reason.isEmpty() ? string(disk, "lastError") : reason,
                string(disk, "emptied"),
                text);
    }

    /** Returns a member, or an empty text if it is absent or null. */
    private static String string(JsonNode object, String name) {
        var member = object.path(name);
        return member.isString() ? member.stringValue() : "";
    }

    boolean isLoading() {
        return state.equals("loading");
    }

    boolean isOn() {
        return state.equals("on");
    }

    /** Whether responses are written. */
    public boolean isWriting() {
        return isOn() && !isPaused;
    }

    @Override
    public String toString() {
        return isPaused ? "paused" : state;
    }
}
