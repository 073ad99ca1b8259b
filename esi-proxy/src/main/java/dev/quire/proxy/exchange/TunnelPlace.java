package dev.quire.proxy.exchange;

import dev.quire.core.policy.UpgradeRequest;
import java.time.Duration;

/**
 * Room for one tunnel of {@code tunnels}, held by the exchange that asks for it.
 *
 * @param handshake the client's
 * @param idle how long the tunnel may be silent
 */
public record TunnelPlace(Tunnels tunnels, UpgradeRequest.WebSocket handshake, Duration idle) {}
