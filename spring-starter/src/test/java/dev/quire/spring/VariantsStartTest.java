package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.autoconfigure.QuireAutoConfiguration;
import dev.quire.spring.internal.autoconfigure.QuireSecurityAutoConfiguration;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Checks at start-up of an application whose handlers declare variants. */
@ExtendWith(OutputCaptureExtension.class)
class VariantsStartTest {

    private static final String WARNING = "quire.variants.secret is not set";

    private final WebApplicationContextRunner application =
            new WebApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(
                                    DispatcherServletAutoConfiguration.class,
                                    WebMvcAutoConfiguration.class,
                                    QuireSecurityAutoConfiguration.class,
                                    QuireAutoConfiguration.class));

    @Test
    void withoutSecretTheLogNamesTheHandlersOnce(CapturedOutput output) {
        application
                .withUserConfiguration(Declaring.class, Plain.class)
                .run(context -> assertThat(context).hasNotFailed());

        var lines = output.getOut().lines().filter(line -> line.contains(WARNING)).toList();
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst())
                .contains(" WARN ", Declaring.class.getName() + "#greeting")
                .contains("Set quire.variants.secret")
                .doesNotContain("#plain");
    }

    @Test
    void withSecretOrWithoutVariantsThereIsNothingToSay(CapturedOutput output) {
        application
                .withUserConfiguration(Declaring.class)
                .withPropertyValues("quire.variants.secret=" + Club.SECRET)
                .run(context -> assertThat(context).hasNotFailed());
        application
                .withUserConfiguration(Plain.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void anUnknownVariantStopsTheStartAndNamesItsHandler() {
        application
                .withUserConfiguration(Unknown.class)
                .run(context ->
                        assertThat(context)
                                .getFailure()
                                .hasMessageContaining(
                                        "@EsiPage on "
                                                + Unknown.class.getName()
                                                + "#front: vary = \"plan\" is not a variant (expected one of [login, role]"));
    }

    @Test
    void aShortSecretStopsTheStartAndIsNotShown() {
        application
                .withPropertyValues("quire.variants.secret=too-short")
                .run(context ->
                        assertThat(context)
                                .getFailure()
                                .satisfies(failure -> {
                                    var trace = new StringWriter();
                                    failure.printStackTrace(new PrintWriter(trace));
                                    assertThat(trace.toString())
                                            .contains(
                                                    "quire.variants.secret: 9 characters are too few (expected at least 32)")
                                            .doesNotContain("too-short");
                                }));
    }

    @Test
    void aRoleThatMakesNoValueStopsTheStart() {
        for (var role : new String[] {"none", "chef de cuisine"}) {
            application
                    .withPropertyValues("quire.variants.roles=EDITOR," + role)
                    .run(context ->
                            assertThat(context)
                                    .getFailure()
                                    .rootCause()
                                    .hasMessageContaining(
                                            "quire.variants.roles: '"
                                                    + role
                                                    + "' is not usable as a variant value"));
        }
    }

    @RestController
    static class Declaring {

        @GetMapping("/greeting")
        @EsiFragment(ttl = "60s", vary = "login")
        String greeting() {
            return "hello";
        }
    }

    @RestController
    static class Plain {

        @GetMapping("/plain")
        @EsiFragment(ttl = "60s")
        String plain() {
            return "hello";
        }
    }

    @RestController
    static class Unknown {

        @GetMapping("/front")
        @EsiPage(ttl = "60s", vary = "plan")
        String front() {
            return "front";
        }
    }
}
