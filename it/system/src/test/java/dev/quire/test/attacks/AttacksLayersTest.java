package dev.quire.test.attacks;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** The allowed dependencies of the runner of hostile dialogues. */
class AttacksLayersTest {
    /** bin/attacks runs them with only the proxy's jar. */
    @Test
    void dialoguesNeedOnlyTheHarness() {
        var attacks = "dev.quire.test.attacks";
        noClasses()
                .that()
                .resideInAPackage(attacks)
                .and()
                .haveNameNotMatching(".*(IT|Test)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test.wire..",
                        "dev.quire.test.programs",
                        attacks,
                        "dev.quire.core..",
                        "dev.quire.proxy..",
                        "java..",
                        "org.jspecify..")
                .check(new ClassFileImporter().importPackages(attacks));
    }
}
