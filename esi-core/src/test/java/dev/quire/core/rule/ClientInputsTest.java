package dev.quire.core.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClientInputsTest {
    private static final ClientInputs AGENT =
            ClientInputs.of(EnumSet.of(Input.HEADER), Set.of("user-agent"));

    @Test
    void fieldsAreNamedInVaryOnce() {
        var both = AGENT.plus(ClientInputs.of(EnumSet.of(Input.COOKIE), Set.of()));

        assertThat(both.in(Fields.EMPTY).all("Vary")).containsExactly("cookie, user-agent");
        assertThat(both.in(Fields.of("Vary", "User-Agent", "Vary", "X-A")).all("Vary"))
                .containsExactly("User-Agent, X-A, cookie");
        assertThat(both.in(Fields.of("Vary", "*")).all("Vary")).containsExactly("*");
    }

    @Test
    void valuesWithoutAFieldMakeAResponsePrivate() {
        var address = ClientInputs.of(EnumSet.of(Input.CLIENT), Set.of());
        var response =
                Fields.of(
                        "Cache-Control",
                        "public, max-age=60, s-maxage=600",
                        "Surrogate-Control",
                        "max-age=600");

        assertThat(address.in(response))
                .isEqualTo(Fields.of("Cache-Control", "private, max-age=60"));
        assertThat(address.in(Fields.EMPTY)).isEqualTo(Fields.of("Cache-Control", "private"));
        assertThat(ClientInputs.of(EnumSet.of(Input.HEADER), Set.of("*")).hasOthers()).isTrue();
    }

    @Test
    void nothingElseChangesAResponse() {
        var url = ClientInputs.of(EnumSet.of(Input.PATH, Input.METHOD, Input.NOW), Set.of());
        var unstored = Fields.of("Cache-Control", "no-store");

        assertThat(url).isEqualTo(ClientInputs.NONE);
        assertThat(url.in(unstored)).isSameAs(unstored);
        assertThat(AGENT.in(unstored)).isSameAs(unstored);
    }
}
