package dev.quire.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:8080, 127.0.0.1, 8080, true",
        "127.9.9.9:1, 127.9.9.9, 1, true",
        "[::1]:8080, ::1, 8080, true",
        "localhost:0, localhost, 0, true",
        "0.0.0.0:65535, 0.0.0.0, 65535, false",
        "[::]:80, ::, 80, false",
        "10.0.0.1:80, 10.0.0.1, 80, false",
        "proxy-1.example.org:80, proxy-1.example.org, 80, false",
    })
    void anAddressIsReadAndWrittenAlike(String text, String host, int port, boolean loopback) {
        var address = HostPort.parse(text);

        assertThat(address).isEqualTo(new HostPort(host, port)).hasToString(text);
        assertThat(address.isLoopback()).isEqualTo(loopback);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8080",
                ":8080",
                "a:",
                "a:65536",
                "a:-1",
                "a:1x",
                "::1:80",
                "[::1]",
                "[a]:80",
                "[127.0.0.1]:80",
                "[::g]:1",
                "1.2.3:80",
                "256.1.1.1:80",
                "a b:80",
                "-a:80",
                "a..b:80",
                "http://a:80",
                "a/b:80"
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> HostPort.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HOST:PORT");
    }
}
