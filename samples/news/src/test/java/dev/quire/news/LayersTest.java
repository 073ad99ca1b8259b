package dev.quire.news;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The dependencies between features, and the parts of Quire the site may use. */
class LayersTest {
    private static final JavaClasses NEWS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quire.news");

    private static final JavaClasses TESTS =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.OnlyIncludeTests())
                    .importPackages("dev.quire.news");

    @Test
    void testsNeverSleepAndKnowNoPort() {
        noClasses()
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "sleep", Duration.class)
                .orShould()
                .dependOnClassesThat()
                .haveSimpleName("LocalServerPort")
                .because("the harness awaits pending work and needs the port")
                .check(TESTS);
    }

    @Test
    void featuresAreFreeOfCycles() {
        slices().matching("dev.quire.news.(*)..").should().beFreeOfCycles().check(NEWS);
    }

    @Test
    void theSiteKnowsTheStarterAndNothingBehindIt() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.proxy..", "dev.quire.core..", "dev.quire.test..")
                .check(NEWS);
    }

    @Test
    void placesKnowNothingOfTheNews() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.news.place")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.quire.news.article..",
                        "dev.quire.news.election..",
                        "dev.quire.news.front..",
                        "dev.quire.news.reader..",
                        "dev.quire.news.writing..")
                .check(NEWS);
    }
}
