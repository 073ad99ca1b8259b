package dev.quire.proxy.store;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why the store does not work, for operators.
 *
 * @param kind the first word of the error, if the server has named one
 * @param isOutage whether the store is of no use as long as it lasts
 */
public record StoreFault(String kind, String what, String expected, boolean isOutage) {
    private static final String READONLY = "READONLY";
    private static final String PERMISSION = "NOPERM";

    /** Of Redis 7.0. */
    private static final String NO_PERMISSION_IN_SCRIPT =
            "ERR The user executing the script can't ";

    private static final String UNKNOWN_COMMAND = "err unknown command";

    /** Of servers. */
    private static final String NO_CLUSTER = "cluster support disabled";

    /** Of Lettuce. */
    private static final String NO_MASTER = "using sentinel for masterId";

    /** Returns what {@code error} of a server means. */
    public static StoreFault ofError(String error) {
        int space = error.indexOf(' ');
        var kind = space < 0 ? error : error.substring(0, space);
        return switch (kind) {
            case "WRONGPASS", "NOAUTH" ->
                    outage(
                            kind,
                            "the store refuses the user or the password: " + error,
                            "shared.username and shared.password-file as the store has them");
            case PERMISSION -> ofPermission(error);
            case "OOM" ->
                    passing(
                            kind,
                            "the store is full and removes nothing: " + error,
                            "maxmemory-policy volatile-lfu");
            case "NOREPLICAS" ->
                    passing(
                            kind,
                            "the store has too few replicas to write: " + error,
                            "replicas as min-replicas-to-write of the store says");
            case "MISCONF" -> passing(kind, "the store refuses to write: " + error, "its repair");
            case "WRONGTYPE" ->
                    passing(
                            kind,
                            "a key of the store is not a record: " + error,
                            "a shared.namespace that nothing else uses");
            case READONLY ->
                    outage(kind, "the server is a replica: " + error, "the primary server");
            case "MOVED", "ASK" ->
                    outage(
                            kind,
                            "the server belongs to a cluster: " + error,
                            "shared.mode: cluster");
            case "TRYAGAIN" -> passing(kind, "the cluster moves a slot: " + error, "its end");
            case "CLUSTERDOWN" ->
                    outage(kind, "a part of the cluster is away: " + error, "all its slots");
            case "LOADING" -> outage(kind, "the store reads its data: " + error, "its end");
            default -> ofOther(kind, error);
        };
    }

    private static StoreFault ofPermission(String error) {
        return outage(
                PERMISSION,
                "a permission is missing in the store: " + error,
                "the permissions for shared.username in docs/fleet.md");
    }

    private static StoreFault ofOther(String kind, String error) {
        if (error.startsWith(NO_PERMISSION_IN_SCRIPT)) {
            return ofPermission(error);
        }
        return error.toLowerCase(Locale.ROOT).startsWith(UNKNOWN_COMMAND)
                ? ofUnknownCommand(kind, error)
                : outage(kind, "the store has answered: " + error, "Redis 7 or Valkey 8");
    }

    private static StoreFault ofUnknownCommand(String kind, String error) {
        boolean isNoSentinel = error.toUpperCase(Locale.ROOT).contains("'SENTINEL'");
        return isNoSentinel
                ? outage(
                        kind,
                        "the server is not a sentinel: " + error,
                        "sentinels, or shared.mode: standalone or cluster")
                : outage(
                        kind,
                        "the server lacks a command: " + error,
                        "Redis 7 or Valkey 8; for sentinels, shared.mode: sentinel");
    }

    /**
     * Returns that the store cannot be reached.
     *
     * @param key of the configuration that has its addresses
     */
    public static StoreFault ofConnection(String why, String key) {
        var error = ofError(why);
        if (why.contains(NO_CLUSTER)) {
            return outage(
                    error.kind,
                    "the server does not belong to a cluster: " + why,
                    "shared.mode: standalone");
        }
        if (why.contains(NO_MASTER)) {
            return outage(
                    "",
                    "the sentinels know no primary server by the name of shared.master: " + why,
                    "its name, as in the line sentinel monitor of their configuration");
        }
        if (why.toLowerCase(Locale.ROOT).startsWith(UNKNOWN_COMMAND)) {
            return error;
        }
        return switch (error.kind) {
            case "WRONGPASS", "NOAUTH", PERMISSION, "LOADING" -> error;
            default ->
                    outage(
                            "",
                            "no connection to the store: " + why,
                            "a server at the addresses of " + key);
        };
    }

    public static StoreFault ofSlowness() {
        return outage(
                "",
                "at least half of the requests to the store have failed or had no reply in time",
                "replies within shared.timeout");
    }

    private static StoreFault outage(String kind, String what, String expected) {
        return new StoreFault(kind, what, expected, true);
    }

    private static StoreFault passing(String kind, String what, String expected) {
        return new StoreFault(kind, what, expected, false);
    }

    /** Whether a reply that is not an error says that it is over; else a write does. */
    public boolean endsByAReply() {
        return !kind.equals(READONLY);
    }

    /** Whether {@code other} is nothing new beside this one. */
    public boolean isSameKind(@Nullable StoreFault other) {
        return other != null
                && (kind.isEmpty() ? what.equals(other.what) : kind.equals(other.kind));
    }

    @Override
    public String toString() {
        return what + " (expected " + expected + ")";
    }
}
