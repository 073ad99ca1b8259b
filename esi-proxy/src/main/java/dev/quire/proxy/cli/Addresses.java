package dev.quire.proxy.cli;

import java.net.InetSocketAddress;

/** Where a proxy listens, with the ports that were picked. */
public record Addresses(InetSocketAddress http, InetSocketAddress admin) {}
