package dev.quire.proxy.admin;

import java.util.LinkedHashMap;
import java.util.List;

/** The endpoints below {@code /v1/tiers}. They may block. */
final class TiersApi {
    private static final String STATE = "state";
    private static final String EXPECTED = "on, off or drop";

    private final AdminActions actions;

    TiersApi(AdminActions actions) {
        this.actions = actions;
    }

    AdminAnswer tiers() {
        var tiers = actions.tiers();
        var shown = new LinkedHashMap<String, Object>();
        shown.put("memory", tiers.memory());
        tiers.disk().ifPresent(disk -> shown.put("disk", disk));
        tiers.shared().ifPresent(store -> shown.put("shared", store));
        return AdminAnswer.json(shown);
    }

    AdminAnswer change(byte[] body) {
        var obstacle = actions.changeDisk(read(body));
        return obstacle.isEmpty() ? tiers() : AdminAnswer.text(409, "409 " + obstacle.get());
    }

    private static Tiers.Change read(byte[] body) {
        var state = JsonBody.read(body, List.of(STATE)).text(STATE);
        if (state.isEmpty()) {
            throw new InvalidRequest("state is missing", EXPECTED);
        }
        return Tiers.Change.named(state.get())
                .orElseThrow(() ->
                        new InvalidRequest("state: invalid value '" + state.get() + "'", EXPECTED));
    }
}
