package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.quire.spring.internal.fields.TrustedProxies;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.9.8.7, true",
        "127.0.0.0/8, 128.0.0.1, false",
        "10.1.2.0/23, 10.1.3.255, true",
        "10.1.2.0/23, 10.1.4.0, false",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.6, false",
        "0.0.0.0/0, 203.0.113.1, true",
        "0.0.0.0/0, ::1, false",
        "::1/128, 0:0:0:0:0:0:0:1, true",
        "fe80::/10, fe80::1%eth0, true",
        "127.0.0.0/8, ::ffff:127.0.0.1, true",
        "127.0.0.0/8, localhost, false"
    })
    void anAddressIsTrustedIfABlockHoldsIt(String block, String address, boolean trusted) {
        assertThat(TrustedProxies.of(List.of(block)).trust(address)).isEqualTo(trusted);
    }

    @Test
    void withoutBlocksNobodyIsTrusted() {
        assertThat(TrustedProxies.of(List.of()).trust("127.0.0.1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "10.0.0.0/33", "10.0.0/8", "::1/129", "10.0.0.1/x", ""})
    void whatIsNoBlockIsRefusedWithTheNameOfItsProperty(String block) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TrustedProxies.of(List.of(block)))
                .withMessageContaining("quire.trusted-proxies: '" + block + "'")
                .withMessageContaining("expected for example 10.0.0.0/8");
    }
}
