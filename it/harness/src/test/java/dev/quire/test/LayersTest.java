package dev.quire.test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The modules and libraries that the harness may depend on. */
class LayersTest {
    private static final JavaClasses HARNESS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quire.test");

    @Test
    void harnessNeedsNoFrameworkOutsideItsOptionalPackages() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.quire.test.containers..",
                        "dev.quire.test.junit..",
                        "dev.quire.test.spring..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test..",
                        "dev.quire.core..",
                        "dev.quire.proxy..",
                        "io.netty..",
                        "java..",
                        "javax.net.ssl..",
                        "org.jspecify..",
                        "org.assertj..",
                        "org.jsoup..")
                .check(HARNESS);
    }

    @Test
    void nettyIsKnownOnlyWhereTheProxyHasNoSocketsAndToDecodeFields() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        "dev\\.quire\\.test\\.(ApplicationOrigin|wire\\.Local(Proxy|Socket)"
                                + "|wire\\.internal\\.ReceivedFields).*")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty..")
                .check(HARNESS);
    }

    @Test
    void wireToolkitNeedsOnlyTheProxyAndTheCore() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.wire..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test.wire..",
                        "dev.quire.core..",
                        "dev.quire.proxy..",
                        "io.netty..",
                        "java..",
                        "javax.net.ssl..",
                        "org.jspecify..")
                .check(HARNESS);
    }

    @Test
    void assemblersDoNotKnowTheSite() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.internal..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.quire.test")
                .check(HARNESS);
    }

    @Test
    void containersNeedTestcontainersAndSpringAlone() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.containers..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test.containers..",
                        "dev.quire.spring.invalidate..",
                        "java..",
                        "org.jspecify..",
                        "org.testcontainers..",
                        "com.github.dockerjava..",
                        "org.springframework.boot..",
                        "org.springframework.context..")
                .check(HARNESS);
    }

    @Test
    void jupiterIsAllThatItsPackageNeedsBeside() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.junit..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test",
                        "dev.quire.test.junit..",
                        "dev.quire.test.wire",
                        "dev.quire.test.wire.internal",
                        "java..",
                        "org.jspecify..",
                        "org.junit.jupiter.api..",
                        "org.junit.platform.commons..",
                        "org.opentest4j..")
                .check(HARNESS);
    }

    @Test
    void springIsAllThatItsPackageNeedsBeside() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.spring..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test",
                        "dev.quire.test.internal",
                        "dev.quire.test.junit..",
                        "dev.quire.test.spring..",
                        "dev.quire.test.wire",
                        "dev.quire.core..",
                        "dev.quire.spring..",
                        "java..",
                        "jakarta.servlet..",
                        "org.apache.commons.logging..",
                        "org.assertj..",
                        "org.jspecify..",
                        "org.junit.jupiter.api..",
                        "org.springframework..")
                .check(HARNESS);
    }

    @Test
    void onlyTheSourceOfSitesKnowsJupiterToo() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.spring..")
                .and()
                .haveNameNotMatching(".*\\.SpringSiteSource.*")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.test.junit..", "org.junit..")
                .check(HARNESS);
    }

    @Test
    void nobodyNeedsThePackagesOfFrameworks() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.quire.test.junit..",
                        "dev.quire.test.spring..",
                        "dev.quire.test.containers..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.quire.test.junit..",
                        "dev.quire.test.spring..",
                        "dev.quire.test.containers..")
                .check(HARNESS);
    }

    @Test
    void whoNeedsNoSpringNeedsNoneForAContainer() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.test.containers..")
                .and()
                .haveNameNotMatching(".*\\.QuireConnectionDetailsFactory(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "dev.quire.spring..")
                .check(HARNESS);
    }

    @Test
    void nothingElseKnowsWhatIsForSpring() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.quire.test.spring..", "dev.quire.test.containers..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.quire.test.spring..", "dev.quire.spring..", "org.springframework..")
                .check(HARNESS);
    }

    @Test
    void harnessKnowsTheProxyOnlyFromOutside() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.quire.proxy.cache..",
                        "dev.quire.proxy.deliver..",
                        "dev.quire.proxy.fetch..",
                        "dev.quire.proxy.listen..")
                .check(HARNESS);
    }
}
