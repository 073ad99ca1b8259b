package dev.quire.proxy.log;

import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The log of the process: SLF4J's provider where the proxy is a process of its own. In another
 * application its messages go to that application's log. The system property {@code
 * quire.log.level} sets the lowest level.
 */
public final class ServiceLog implements SLF4JServiceProvider, ILoggerFactory {
    private static final String LEVEL = "quire.log.level";

    /** The client of the store warns at each attempt to connect; the proxy does so once. */
    private static final String STORE_CLIENT = "io.lettuce.";

    private final ConcurrentMap<String, Logger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter diagnostics = new NOPMDCAdapter();
    private final Level threshold = threshold();

    /** Makes this the provider; call before the first logger is created. */
    public static void install() {
        System.setProperty("slf4j.provider", ServiceLog.class.getName());
        // The library announces what we ask for.
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    private static Level threshold() {
        try {
            return Level.valueOf(System.getProperty(LEVEL, "info").toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            return Level.INFO;
        }
    }

    @Override
    public Logger getLogger(String name) {
        return loggers.computeIfAbsent(name, key -> new ServiceLogger(key, thresholdOf(key)));
    }

    private Level thresholdOf(String name) {
        boolean isQuiet = name.startsWith(STORE_CLIENT) && threshold.toInt() >= Level.INFO.toInt();
        return isQuiet ? Level.ERROR : threshold;
    }

    @Override
    public void initialize() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return this;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return diagnostics;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }
}
