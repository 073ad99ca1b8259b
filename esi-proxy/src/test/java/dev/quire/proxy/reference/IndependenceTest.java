package dev.quire.proxy.reference;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** A model that used the product's rules would share its errors. */
class IndependenceTest {

    @Test
    void modelKnowsNothingOfTheProduct() {
        classes()
                .that()
                .resideInAPackage("dev.quire.proxy.reference")
                .and()
                .doNotHaveSimpleName("IndependenceTest")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.quire.proxy.reference", "java..", "org.jspecify..")
                .check(new ClassFileImporter().importPackages("dev.quire.proxy.reference"));
    }
}
