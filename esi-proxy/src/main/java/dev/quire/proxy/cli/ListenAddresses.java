package dev.quire.proxy.cli;

import java.net.InetSocketAddress;
import java.util.Optional;

/** The addresses on which a proxy listens, with the actual ports. */
public record ListenAddresses(
        InetSocketAddress http, InetSocketAddress admin, Optional<InetSocketAddress> probes) {}
