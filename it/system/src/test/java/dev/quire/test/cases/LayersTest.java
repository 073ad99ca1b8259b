package dev.quire.test.cases;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** The allowed dependencies of the runner of the language cases. */
class LayersTest {
    /** bin/conformance runs them with only the proxy's jar. */
    @Test
    void casesNeedOnlyTheHarnessAndJson() {
        var cases = "dev.quire.test.cases";
        noClasses()
                .that()
                .resideInAPackage(cases)
                .and()
                .haveNameNotMatching(
                        ".*(IT|Test|\\.InAppSubject|\\.OnlyProxy|\\.RepositoryCases)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "dev.quire.test",
                        "dev.quire.test.wire",
                        cases,
                        // SlowLine and Operator, for slow origins and purges.
                        "dev.quire.it",
                        "dev.quire.core..",
                        "dev.quire.proxy..",
                        "java..",
                        "org.jspecify..",
                        "tools.jackson..")
                .check(new ClassFileImporter().importPackages(cases));
    }
}
