package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.Content;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The body in a case: {@code body}, {@code bodyBase64} or {@code bodyParts}. */
final class BodyText {
    private static final int LARGEST = 64 << 20;

    private BodyText() {}

    /** The body of {@code entry}, if it has one. More than one is an error. */
    static Optional<Content> read(Entry entry) {
        var text = entry.text("body").map(body -> Content.of(body.getBytes(UTF_8)));
        var base64 = entry.text("bodyBase64").flatMap(body -> decoded(entry, body));
        boolean hasParts = entry.names().contains("bodyParts");
        var parts = entry.array("bodyParts", "strings and {repeat, times}");
        if ((text.isPresent() ? 1 : 0) + (base64.isPresent() ? 1 : 0) + (hasParts ? 1 : 0) > 1) {
            entry.wrong("body", "is given more than once", "one of body, bodyBase64, bodyParts");
        }
        if (hasParts) {
            return Optional.of(joined(entry, parts));
        }
        return text.or(() -> base64);
    }

    private static Optional<Content> decoded(Entry entry, String base64) {
        try {
            return Optional.of(Content.of(Base64.getDecoder().decode(base64)));
        } catch (IllegalArgumentException e) {
            entry.wrong("bodyBase64", "is not base64: " + e.getMessage(), "RFC 4648 §4");
            return Optional.empty();
        }
    }

    private static Content joined(Entry entry, Iterable<JsonNode> parts) {
        var bytes = new ByteArrayOutputStream();
        for (var part : parts) {
            if (part.isString()) {
                bytes.writeBytes(part.stringValue().getBytes(UTF_8));
            } else if (isRepetition(part)) {
                var once = part.get("repeat").stringValue().getBytes(UTF_8);
                int times = part.get("times").intValue();
                if (bytes.size() + (long) once.length * times > LARGEST) {
                    entry.wrong("bodyParts", "is too large", "at most " + LARGEST + " bytes");
                    break;
                }
                for (int i = 0; i < times; i++) {
                    bytes.writeBytes(once);
                }
            } else {
                entry.wrong("bodyParts", "holds " + part, "strings and {repeat, times}");
            }
        }
        return Content.of(bytes.toByteArray());
    }

    private static boolean isRepetition(JsonNode part) {
        return part.isObject()
                && part.size() == 2
                && part.path("repeat").isString()
                && part.path("times").isIntegralNumber()
                && part.path("times").canConvertToInt()
                && part.path("times").intValue() >= 0;
    }
}
