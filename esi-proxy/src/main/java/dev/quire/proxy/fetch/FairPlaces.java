package dev.quire.proxy.fetch;

import dev.quire.core.http.ClientNetwork;
import java.util.HashMap;
import java.util.Map;

/**
 * A number of places, counted by client. A client that holds a quarter of them gets more only while
 * another quarter is free, so that one client never takes them all. Not thread-safe.
 */
final class FairPlaces {
    private final int max;
    private final int quarter;
    private final Map<ClientNetwork, Integer> held = new HashMap<>();
    private int taken;

    FairPlaces(int max) {
        this.max = max;
        this.quarter = Math.max(1, max / 4);
    }

    boolean tryTake(ClientNetwork client) {
        int free = max - taken;
        if (free <= 0 || (free <= quarter && held.getOrDefault(client, 0) >= quarter)) {
            return false;
        }
        taken++;
        held.merge(client, 1, Integer::sum);
        return true;
    }

    void give(ClientNetwork client) {
        taken--;
        held.computeIfPresent(client, (same, places) -> places == 1 ? null : places - 1);
    }
}
