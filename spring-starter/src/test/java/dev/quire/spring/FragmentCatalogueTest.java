package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.handler.FragmentCatalogue;
import dev.quire.spring.internal.handler.PathRules;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** The catalogue is for this machine: a foreign name that resolves to it does not reach it. */
class FragmentCatalogueTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, 200",
        "127.1.2.3, 127.0.0.1, 200",
        "localhost, 127.0.0.1, 200",
        "[::1], ::1, 200",
        "127.evil.example, 127.0.0.1, 404",
        "127.0.0.1.nip.io, 127.0.0.1, 404",
        "localhost.evil.example, 127.0.0.1, 404",
        "127.0.0.1, 10.0.0.1, 404"
    })
    void onlyLocalNamesOfLocalClients(String host, String client, int status) throws IOException {
        var catalogue = new FragmentCatalogue(List::of, PathRules.of(List.of()), new GuardHits());
        var request = new MockHttpServletRequest("GET", FragmentCatalogue.PATH);
        request.setServerName(host);
        request.setRemoteAddr(client);
        var response = new MockHttpServletResponse();

        catalogue.handleRequest(request, response);

        assertThat(response.getStatus()).isEqualTo(status);
    }
}
