package dev.quire.proxy;

import dev.quire.proxy.cli.Cli;
import dev.quire.proxy.cli.PortProbe;
import dev.quire.proxy.cli.Server;
import dev.quire.proxy.cli.Signals;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.exchange.Time;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Starts the process and ends it. */
public final class Main {

    private Main() {}

    /** See {@code quire --help}. */
    public static void main(String[] arguments) throws InterruptedException {
        // Before anything says that it is ready to be stopped.
        var signals = Signals.caught();
        var cli =
                new Cli(
                        Main::server,
                        signals::await,
                        PortProbe::obstacle,
                        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                        new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        System.exit(cli.execute(arguments));
    }

    private static Server server(Configuration configuration) {
        return new Proxy(configuration, Time.system());
    }
}
