package dev.quire.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.text.Literal;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientTrustTest {
    private static final ClientTrust OF_TEN =
            new ClientTrust(peer -> peer.getHostAddress().startsWith("10."), FieldNames.NONE, null);

    private static InetAddress address(String text) {
        return Literal.address(text).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            textBlock =
                    """
                    192.0.2.1                      | 192.0.2.1
                    192.0.2.1, 10.0.0.2            | 192.0.2.1
                    198.51.100.7, 192.0.2.1        | 192.0.2.1
                    evil, 192.0.2.1                | 192.0.2.1
                    10.0.0.3, 10.0.0.2             | 10.0.0.3
                    192.0.2.1:4711                 | 192.0.2.1
                    2001:db8::1                    | 2001:db8:0:0:0:0:0:1
                    [2001:db8::1]:4711             | 2001:db8:0:0:0:0:0:1
                    ::ffff:192.0.2.1               | 192.0.2.1
                    ''                             | 0.0.0.0
                    ','                            | 0.0.0.0
                    unknown                        | 0.0.0.0
                    010.0.0.1                      | 0.0.0.0
                    10.1                           | 0.0.0.0
                    0x0a.0.0.1                     | 0.0.0.0
                    10.0.0.1 x                     | 0.0.0.0
                    [10.0.0.1                      | 0.0.0.0
                    localhost                      | 0.0.0.0
                    evil, 10.0.0.2                 | 0.0.0.0
                    fe80::1%eth0                   | 0.0.0.0
                    """)
    void clientIsTheLastAddressThatIsNotTrusted(String forwarded, String expected) {
        assertThat(OF_TEN.client(request(forwarded), address("10.0.0.1")).getHostAddress())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.9", "2001:db8::9"})
    void claimsOfOthersDoNotCount(String peer) {
        assertThat(OF_TEN.client(request("10.0.0.1"), address(peer))).isEqualTo(address(peer));
    }

    private static RequestHead request(String forwarded) {
        return new RequestHead(
                "GET", Scheme.HTTP, "news.test", "/", Fields.of("X-Forwarded-For", forwarded));
    }
}
