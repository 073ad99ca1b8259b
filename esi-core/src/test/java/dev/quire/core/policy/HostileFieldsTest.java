package dev.quire.core.policy;

import static dev.quire.core.policy.Arriving.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No field value of an origin or a client makes a rule throw. */
class HostileFieldsTest {
    private static final int ROUNDS = 4_000;

    private static final String[] SOUND = {
        "max-age=60+30;quire, content=\"ESI/1.0\", no-store;other",
        "private=\"a, b\", no-cache=\"c\", s-maxage=\"5\"",
        "Thu, 18 Aug 2050 02:01:18 GMT",
        "Thursday, 18-Aug-50 02:01:18 GMT",
        "Thu Aug  8 02:01:18 2050",
        "W/\"a\", \"b,c\", *",
        "99999999999"
    };

    private static final String[] FIELDS = {
        "Cache-Control",
        "Surrogate-Control",
        "Date",
        "Expires",
        "Last-Modified",
        "Age",
        "Vary",
        "ETag",
        "Connection"
    };

    private static final String PIECES = "\"\\,;=+ \t*-0aZé";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyRuleAnswers(long seed) {
        var random = new Random(seed);

        for (int round = 0; round < ROUNDS; round++) {
            var lines = new String[2 * FIELDS.length];
            for (int i = 0; i < FIELDS.length; i++) {
                lines[2 * i] = FIELDS[i];
                lines[2 * i + 1] = spoilt(random);
            }
            var request =
                    request(
                            "GET",
                            "If-None-Match",
                            spoilt(random),
                            "If-Modified-Since",
                            spoilt(random),
                            "a",
                            spoilt(random));
            var answer = Arriving.with(lines).to(request);
            var fields = answer.response().fields();

            assertThat(answer.storing()).isNotNull();
            assertThat(
                            SelectingFields.of(fields, SentRequest.of(request))
                                    .matches(request.fields()))
                    .isEqualTo(!SelectingFields.isAny(SelectingFields.names(fields)));
            assertThat(ForwardedFields.storable(fields).contains("Connection")).isFalse();
            assertThat(Validation.selects(fields, fields)).isTrue();
            assertThat(Validation.merged(answer.response(), fields).status()).isEqualTo(200);
            assertThat(ClientLifetime.of(fields, Duration.ZERO).reusableFor())
                    .isGreaterThanOrEqualTo(Duration.ZERO);
            Conditions.isNotModified(request, answer.response());
        }
    }

    /** A valid value with a few characters replaced, removed or added. */
    private static String spoilt(Random random) {
        var value = new StringBuilder(SOUND[random.nextInt(SOUND.length)]);
        for (int changes = random.nextInt(4); changes > 0 && !value.isEmpty(); changes--) {
            int at = random.nextInt(value.length());
            char piece = PIECES.charAt(random.nextInt(PIECES.length()));
            switch (random.nextInt(3)) {
                case 0 -> value.setCharAt(at, piece);
                case 1 -> value.deleteCharAt(at);
                default -> value.insert(at, piece);
            }
        }
        return value.toString();
    }
}
