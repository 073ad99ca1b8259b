package dev.quire.proxy.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.jar.Attributes;
import org.jspecify.annotations.Nullable;

/** Which build this is: {@code quire_build_info}, always 1. */
final class BuildInfo implements Collector {
    private static final String UNKNOWN = "unknown";

    private final MetricSnapshot snapshot;

    BuildInfo() {
        var manifest = manifest();
        snapshot =
                InfoSnapshot.builder()
                        .name("quire_build")
                        .help("the build of the proxy, and the Java that runs it")
                        .dataPoint(
                                InfoDataPointSnapshot.builder()
                                        .labels(
                                                Labels.of(
                                                        "version",
                                                        value(manifest, "Implementation-Version"),
                                                        "revision",
                                                        value(manifest, "Quire-Revision"),
                                                        "java",
                                                        Runtime.version().toString()))
                                        .build())
                        .build();
    }

    @Override
    public MetricSnapshot collect() {
        return snapshot;
    }

    private static String value(@Nullable Attributes manifest, String name) {
        var value = manifest == null ? null : manifest.getValue(name);
        return value == null || value.isEmpty() ? UNKNOWN : value;
    }

    /** The manifest of the jar; null for a directory of classes. */
    private static @Nullable Attributes manifest() {
        try {
            var source = BuildInfo.class.getProtectionDomain().getCodeSource();
            if (source == null || !source.getLocation().getPath().endsWith(".jar")) {
                return null;
            }
            var jar = new URI("jar:" + source.getLocation() + "!/").toURL().openConnection();
            return jar instanceof JarURLConnection opened ? opened.getMainAttributes() : null;
        } catch (IOException | URISyntaxException e) {
            return null;
        }
    }
}
