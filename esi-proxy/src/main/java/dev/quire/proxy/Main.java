package dev.quire.proxy;

import dev.quire.proxy.cli.Cli;
import dev.quire.proxy.cli.PortProbe;
import dev.quire.proxy.cli.Server;
import dev.quire.proxy.cli.Signals;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.log.ProcessLog;
import dev.quire.proxy.log.ServiceLog;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Entry point of the process. */
public final class Main {

    /** How long the last lines of the log may take. */
    private static final Duration LOG_PATIENCE = Duration.ofSeconds(1);

    private Main() {}

    /** Runs the command line; see {@code quire --help}. */
    public static void main(String[] arguments) throws InterruptedException {
        // Before the first logger is created.
        ServiceLog.install();
        // Signals must be handled before the proxy reports that it is ready.
        var signals = Signals.caught();
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        var log = ProcessLog.install();
        var cli =
                new Cli(
                        loaded -> server(loaded, signals),
                        signals::await,
                        new Cli.Machine(PortProbe::obstacle, Proxy::lackOfMemory, System::getenv),
                        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                        err);
        int status = cli.execute(arguments);
        log.drain(LOG_PATIENCE);
        System.exit(status);
    }

    private static Server server(LoadedConfiguration loaded, Signals signals) {
        var proxy = new Proxy(loaded, Time.system());
        signals.onHangup(proxy::hangUp);
        proxy.onDrain(signals::stop);
        return proxy;
    }
}
