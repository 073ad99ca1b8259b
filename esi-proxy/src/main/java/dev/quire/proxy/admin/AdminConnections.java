package dev.quire.proxy.admin;

import io.netty.channel.Channel;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The open connections to the admin port. If there are too many, the oldest one without a request
 * gives way. Confined to the admin loop.
 */
final class AdminConnections {
    private final Map<Channel, AdminHandler> open = new LinkedHashMap<>();

    /** Adds {@code channel}, or closes it if all others are being answered. */
    void add(Channel channel, AdminHandler handler) {
        if (open.size() >= AdminServer.MAX_CONNECTIONS && !closeOldest()) {
            channel.close();
            return;
        }
        open.put(channel, handler);
        channel.closeFuture().addListener(closed -> open.remove(channel));
    }

    /** Whether a request is being answered. */
    boolean isAnswering() {
        return open.values().stream().anyMatch(AdminHandler::isAnswering);
    }

    private boolean closeOldest() {
        for (var each : open.entrySet()) {
            if (!each.getValue().isAnswering()) {
                var oldest = each.getKey();
                open.remove(oldest);
                oldest.close();
                return true;
            }
        }
        return false;
    }
}
