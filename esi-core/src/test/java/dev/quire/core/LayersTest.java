package dev.quire.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The direction of package dependencies, and the libraries the core may use. */
class LayersTest {
    private static final JavaClasses CORE =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quire.core");

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("dev.quire.core.(*)..").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void coreKnowsNoFramework() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.core..",
                        "java..",
                        "javax.crypto..",
                        "org.jspecify..",
                        "com.google.re2j..",
                        "org.greenbytes.http.sfv..")
                .check(CORE);
    }

    @Test
    void onlyPolicyReadsStructuredFields() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quire.core.policy..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.greenbytes.http.sfv..")
                .check(CORE);
    }

    @Test
    void onlyPolicySigns() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quire.core.policy..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.crypto..")
                .check(CORE);
    }

    @Test
    void coreReadsNoClockAndOpensNothing() {
        noClasses()
                .should()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net.http..", "java.nio.channels..", "java.io..")
                .check(CORE);
    }

    @Test
    void parsingKnowsNeitherAssemblyNorPolicy() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.core.parse..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.core.assemble..", "dev.quire.core.policy..")
                .check(CORE);
    }

    @Test
    void policyKnowsNoAssembly() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.core.policy..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.core.assemble..", "dev.quire.core.parse..")
                .check(CORE);
    }
}
