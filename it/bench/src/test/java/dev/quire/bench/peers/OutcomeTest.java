package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.quire.bench.CannotMeasure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    private static final String WRK =
            """
            Running 1s test @ http://127.0.0.1:18999/d/f
              1 threads and 2 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     2.34ms    2.17ms  14.96ms   86.01%
                Req/Sec     1.01k   396.36     1.89k    70.00%
              1004 requests in 1.00s, 201.00KB read
            Requests/sec:    999.82
            Transfer/sec:    200.16KB
            wrk: requests 1004
            wrk: bytes 205820
            wrk: duration-us 1004179
            wrk: median-us 1572
            wrk: p99-us 9488
            wrk: failed-read 0
            """;

    private static final String AB =
            """
            This is ApacheBench, Version 2.3 <$Revision$>
            Server Software:        SimpleHTTP/0.6
            Server Hostname:        127.0.0.1
            Server Port:            18999

            Document Path:          /d/f
            Document Length:        6 bytes

            Concurrency Level:      4
            Time taken for tests:   0.040 seconds
            Complete requests:      40
            Failed requests:        0
            Total transferred:      8200 bytes
            HTML transferred:       240 bytes
            Requests per second:    1006.77 [#/sec] (mean)
            Time per request:       3.973 [ms] (mean)
            Time per request:       0.993 [ms] (mean, across all concurrent requests)
            Transfer rate:          201.55 [Kbytes/sec] received

            Connection Times (ms)
                          min  mean[+/-sd] median   max
            Connect:        0    0   0.1      0       0
            Processing:     1    3   2.3      2       9
            Waiting:        1    3   2.1      2       9
            Total:          1    3   2.3      2       9

            Percentage of the requests served within a certain time (ms)
              50%      2
              66%      3
              75%      5
              99%      9
             100%      9 (longest request)
            """;

    private static final String H2LOAD =
            """
            Application protocol: h2

            finished in 2.00s, 334141.50 req/s, 384.31MB/s
            requests: 668443 total, 668443 started, 668283 done, 668283 succeeded, 0 failed, 0 errored, 0 timeout
            status codes: 668283 2xx, 0 3xx, 0 4xx, 0 5xx
            traffic: 768.61MB (805950698) total, 110.26MB (115612959) headers (space savings 30.94%), 652.62MB (684321792) data
                                 min         max         mean         sd        +/- sd
            time for request:       57us      7.34ms       462us       330us    75.45%
            """;

    @Test
    void whatWrkPrintsIsReadExactly() throws CannotMeasure {
        var outcome = Outcome.ofWrk(WRK);

        assertThat(outcome).isEqualTo(new Outcome(1004, 1.004179, 205_820, 0, 1.572, 9.488));
        assertThat(outcome.bytesPerAnswer()).isEqualTo(205);
    }

    @Test
    void everyKindOfErrorWrkKnowsCounts() throws CannotMeasure {
        var output =
                WRK
                        + "wrk: failed-connect 1\nwrk: failed-timeout 16\n"
                        + "wrk: failed-status 8\nwrk: failed-write 4\n";

        assertThat(Outcome.ofWrk(output).errors()).isEqualTo(29);
    }

    @Test
    void wrkThatCouldNotConnectSaysSo() {
        assertThatExceptionOfType(CannotMeasure.class)
                .isThrownBy(() -> Outcome.ofWrk("unable to connect to 127.0.0.1:1 Refused\n"))
                .withMessage(
                        "expected 'requests' in the output of wrk, found: unable to connect to"
                                + " 127.0.0.1:1 Refused");
    }

    @Test
    void whatAbPrintsIsRead() throws CannotMeasure {
        assertThat(Outcome.ofAb(AB)).isEqualTo(new Outcome(40, 0.040, 8200, 0, 2, 9));
    }

    @Test
    void outputOfH2loadIsRead() throws CannotMeasure {
        var outcome = Outcome.ofH2load(H2LOAD, Duration.ofSeconds(2));

        assertThat(outcome)
                .isEqualTo(new Outcome(668_283, 2, 805_950_698, 0, Double.NaN, Double.NaN));
        assertThat(outcome.requestsPerSecond()).isEqualTo(334_141.5);
    }

    @Test
    void responsesToH2loadOtherThan2xxAreErrors() throws CannotMeasure {
        var output =
                H2LOAD.replace("0 3xx, 0 4xx, 0 5xx", "1 3xx, 2 4xx, 4 5xx")
                        .replace(" 0 failed", " 8 failed");

        assertThat(Outcome.ofH2load(output, Duration.ofSeconds(2)).errors()).isEqualTo(15);
    }

    @Test
    void requestsThatFailedOrWereRefusedAreErrors() throws CannotMeasure {
        var output =
                AB.replace(
                        "Failed requests:        0",
                        "Failed requests:        3\nNon-2xx responses:      20");

        assertThat(Outcome.ofAb(output).errors()).isEqualTo(3 + 20);
    }
}
