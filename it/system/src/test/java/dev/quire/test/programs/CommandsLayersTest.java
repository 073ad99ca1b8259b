package dev.quire.test.programs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The allowed dependencies of commands in bin that run tests of this module. */
class CommandsLayersTest {
    /** They have only the proxy's jar and the harness. */
    @ParameterizedTest
    @ValueSource(strings = {"dev.quire.test.attacks", "dev.quire.test.sites"})
    void commandsNeedOnlyTheHarness(String command) {
        noClasses()
                .that()
                .resideInAPackage(command)
                .and()
                .haveNameNotMatching(".*(IT|Test)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test.wire..",
                        "dev.quire.test.programs",
                        command,
                        "dev.quire.core..",
                        "dev.quire.proxy..",
                        "java..",
                        "javax.imageio..",
                        "org.jsoup..",
                        "org.jspecify..")
                .check(new ClassFileImporter().importPackages(command));
    }
}
