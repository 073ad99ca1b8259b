package dev.quire.spring;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The allowed dependencies of the starter, and the places for optional libraries. */
class LayersTest {
    private static final String INTERNAL = "dev.quire.spring.internal";

    private static final JavaClasses STARTER =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.quire.spring");

    @Test
    void theStarterKnowsNoProxy() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.proxy..", "dev.quire.test..", "io.netty..")
                .check(STARTER);
    }

    /**
     * A layer may use those below it, never one above. From below: fields, response, settings and
     * policy; stamp and exchange; handler; assemble, variant and view; guard and security.
     */
    @Test
    void internalPackagesHaveNoCycles() {
        slices().matching(INTERNAL + ".(*)..").should().beFreeOfCycles().check(STARTER);
    }

    /**
     * The types for applications read and write through these packages only: {@code Esi} writes
     * tags and finds paths of handlers, {@code EsiRequest} and {@code EsiResponse} read and set the
     * state of the current request, and {@code FragmentPolicy} parses declarations.
     */
    @Test
    void typesForApplicationsUseFewInternalPackages() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.spring")
                .should()
                .dependOnClassesThat(
                        resideInAPackage(INTERNAL + "..")
                                .and(
                                        resideOutsideOfPackages(
                                                INTERNAL + ".exchange",
                                                INTERNAL + ".fields",
                                                INTERNAL + ".handler",
                                                INTERNAL + ".policy",
                                                INTERNAL + ".settings",
                                                INTERNAL + ".stamp")))
                .check(STARTER);
    }

    /** {@code Invalidation} checks its keys there. */
    @Test
    void typesOfInvalidationUseOneInternalPackage() {
        noClasses()
                .that()
                .resideInAPackage("dev.quire.spring.invalidate")
                .should()
                .dependOnClassesThat(
                        resideInAPackage(INTERNAL + "..")
                                .and(resideOutsideOfPackage(INTERNAL + ".invalidate")))
                .check(STARTER);
    }

    /** Packages that only the auto-configurations use. */
    @ParameterizedTest
    @ValueSource(strings = {"autoconfigure", "observe"})
    void onlyTheAutoConfigurationsUse(String name) {
        noClasses()
                .that()
                .resideOutsideOfPackages(INTERNAL + ".autoconfigure", INTERNAL + "." + name)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(INTERNAL + "." + name)
                .check(STARTER);
    }

    @Test
    void publicTypesAreForApplicationsOrInternal() {
        classes()
                .that()
                .arePublic()
                .should()
                .resideInAnyPackage(
                        "dev.quire.spring", "dev.quire.spring.invalidate", INTERNAL + "..")
                .check(STARTER);
    }

    @Test
    void thymeleafStaysInTheDialect() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("EsiDialect")
                .and()
                .haveSimpleNameNotStartingWith("AuthorsAttributes")
                .and()
                .haveSimpleNameNotStartingWith("EsiElementProcessor")
                .and()
                .haveSimpleNameNotStartingWith("EsiBodyProcessor")
                .and()
                .haveSimpleNameNotStartingWith("EsiTextProcessor")
                .and()
                .haveSimpleNameNotStartingWith("EsiCommentProcessor")
                .and()
                .haveSimpleNameNotStartingWith("IncludeTagProcessor")
                .and()
                .haveSimpleNameNotStartingWith("CsrfTagProcessor")
                .and()
                .haveSimpleNameNotStartingWith("ThymeleafConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.thymeleaf..")
                .check(STARTER);
    }

    @Test
    void pagesOfJspStayInTheTagLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quire.spring.internal.jsp..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta.servlet.jsp..", "dev.quire.spring.internal.jsp..")
                .check(STARTER);
    }

    @Test
    void jsoupStaysInItsSelection() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("JsoupSelection")
                .and()
                .haveSimpleNameNotStartingWith("JsoupConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jsoup..")
                .check(STARTER);
    }

    @Test
    void springSecurityStaysBehindItsConfiguration() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        ".*\\.(SpringSecurityWatch|EsiSecurity|FragmentChains|FragmentlessLogin|FragmentDenialFilter|CsrfFragmentFilter|PageRememberMeFilter|VariantLogin|LoginVariant|RoleVariant|QuireSecurityAutoConfiguration)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.security..")
                .check(STARTER);
    }

    @Test
    void tomcatStaysInItsValves() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("PeerAddressValve")
                .and()
                .haveSimpleNameNotStartingWith("LoopbackValve")
                .and()
                .haveSimpleNameNotStartingWith("TomcatServer")
                .and()
                .haveSimpleNameNotStartingWith("QuireTomcat")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.catalina..", "org.apache.coyote..", "org.apache.tomcat..")
                .check(STARTER);
    }

    @Test
    void emissionUsesNoInvalidations() {
        noClasses()
                .that(
                        resideInAnyPackage("dev.quire.spring", INTERNAL + "..")
                                .and(
                                        resideOutsideOfPackages(
                                                INTERNAL + ".autoconfigure",
                                                INTERNAL + ".invalidate")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.quire.spring.invalidate..", INTERNAL + ".invalidate")
                .check(STARTER);
    }

    @Test
    void transactionsStayInTheirWatch() {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.SpringTransactions(\\$.*)?")
                .and()
                .haveSimpleNameNotStartingWith("TransactionConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.transaction..")
                .check(STARTER);
    }

    @Test
    void healthOfSurrogatesStaysInItsClasses() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("SurrogateHealth")
                .and()
                .haveSimpleNameNotStartingWith("QueueHealthConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot.health..")
                .check(STARTER);
    }

    @Test
    void theActuatorStaysInItsEndpoint() {
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("QuireEndpoint")
                .and()
                .haveSimpleNameNotStartingWith("EndpointConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot.actuate..")
                .check(STARTER);
    }

    @Test
    void metersStayInTheirClasses() {
        // io.micrometer.observation comes with spring-web
        noClasses()
                .that()
                .haveSimpleNameNotStartingWith("InvalidationMeters")
                .and()
                .haveSimpleNameNotEndingWith("MetricsConfiguration")
                .and()
                .resideOutsideOfPackage(INTERNAL + ".invalidate")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.micrometer.core..")
                .check(STARTER);
    }
}
