package dev.quire.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The permitted dependencies between packages, and on libraries. */
class LayersTest {
    private static final String ROOT = "dev.quire.proxy";

    /** The package that all others may use. */
    private static final String FAULT = "fault";

    private static final JavaClasses PROXY =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages(ROOT);

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(PROXY);
    }

    @Test
    void nobodyKnowsTheRoot() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT)
                .check(PROXY);
    }

    /** A package and the other packages of the proxy that it may use, apart from {@link #FAULT}. */
    @ParameterizedTest
    @CsvSource({
        "fault,",
        "access,",
        "exchange,",
        "cel,",
        "config,   cel route tls",
        "lint,",
        "log,      config exchange",
        "metrics,  exchange cache tls",
        "route,    tls",
        "select,",
        "tls,      exchange",
        "gzip,     exchange",
        "cache,    exchange route gzip",
        "disk,     exchange cache",
        "fleet,    exchange cache disk",
        "store,    exchange cache",
        "memcached, exchange cache store",
        "redis,    exchange cache fleet store tls",
        "fetch,    exchange route tls",
        "handover, config exchange",
        "listen,   config exchange handover tls",
        "deliver,  config exchange cache gzip",
        "admin,    config cache fleet route handover",
        "path,     access config exchange listen log metrics route select gzip cache fleet fetch deliver",
        "check,    config route",
        "cli,      check config lint handover"
    })
    void packageKnowsNoOthersThan(String name, String known) {
        var allowed = known == null ? new String[0] : known.split(" ", -1);
        var own = ROOT + "." + name;
        noClasses()
                .that()
                .resideInAPackage(own)
                .should()
                .dependOnClassesThat(
                        JavaClass.Predicates.resideInAPackage(ROOT + "..")
                                .and(
                                        JavaClass.Predicates.resideOutsideOfPackages(
                                                Stream.concat(
                                                                Stream.of(FAULT),
                                                                Arrays.stream(allowed))
                                                        .map(other -> ROOT + "." + other)
                                                        .toArray(String[]::new)))
                                .and(JavaClass.Predicates.resideOutsideOfPackage(own)))
                .check(PROXY);
    }

    /** A library and the packages that may use it. */
    @ParameterizedTest
    @CsvSource({
        "at.favre..,                     access",
        "com.github.benmanes.caffeine.., access cache",
        "dev.cel..,                      cel",
        "com.google.common..,            cel",
        "com.google.protobuf..,          cel",
        "org.antlr..,                    cel",
        "io.micrometer..,                metrics",
        "io.prometheus..,                metrics",
        "org.brotli..,                   gzip",
        "org.jsoup..,                    lint select",
        "org.snakeyaml..,                config",
        "tools.jackson..,                admin cli config log path",
        "com.fasterxml.jackson..,        admin log",
        "org.apache.commons.cli..,       cli",
        "io.lettuce..,                   redis",
        "io.netty..,                     . path exchange gzip cache disk fleet store memcached redis "
                + "fetch listen deliver admin handover tls",
        "io.netty.handler.codec.http..,  fetch listen deliver admin"
    })
    void libraryIsKnownOnlyIn(String library, String packages) {
        var allowed =
                Arrays.stream(packages.split(" ", -1))
                        .map(name -> name.equals(".") ? ROOT : ROOT + "." + name)
                        .toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(allowed)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(PROXY);
    }

    @Test
    void noBodyIsHeldWholeOrCompressedByAHandler() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(".*\\.(HttpObjectAggregator|HttpContentCompressor)")
                .check(PROXY);
    }
}
