package dev.quire.war;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;

/** The technology that writes the page. All three write the same page. */
enum Engine {
    JSP("/page/jsp"),
    THYMELEAF("/page/thymeleaf"),
    SERVLET("/page/servlet");

    private final String path;

    Engine(String path) {
        this.path = Tomcat.CONTEXT + path;
    }

    String path() {
        return path;
    }

    /** Returns the target of the page with {@code text} in it. */
    String target(String text) {
        return path + "?q=" + URLEncoder.encode(text, UTF_8);
    }

    /** Returns the expected page: its own tags have run, and {@code text} is text. */
    static String page(String text, String host) {
        return "<html><body><p>%1$s</p>[%1$s<b>own</b>]<i>%2$s</i>%1$syes<p>%1$s</p></body></html>"
                .formatted(text, host);
    }
}
