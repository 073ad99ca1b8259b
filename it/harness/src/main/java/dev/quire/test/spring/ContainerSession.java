package dev.quire.test.spring;

import jakarta.servlet.ServletContext;
import java.util.HexFormat;
import java.util.UUID;
import org.springframework.mock.web.MockHttpSession;

/** A session with a random id, which does not occur in a page by chance. */
final class ContainerSession extends MockHttpSession {
    private String id = drawn();

    ContainerSession(ServletContext context) {
        super(context);
    }

    @Override
    public String getId() {
        return id;
    }

    @Override
    public String changeSessionId() {
        id = drawn();
        return id;
    }

    /** 32 digits, as in Tomcat. */
    private static String drawn() {
        var random = UUID.randomUUID();
        var hex = HexFormat.of().withUpperCase();
        return hex.toHexDigits(random.getMostSignificantBits())
                + hex.toHexDigits(random.getLeastSignificantBits());
    }
}
