package dev.quire.test.sites;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.test.wire.Response;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.FormElement;

/** A form of a page, filled in and sent by a user. */
final class Form {
    private static final String BOUNDARY = "part-of-a-form";

    private final User user;
    private final String action;
    private final List<Map.Entry<String, String>> values = new ArrayList<>();

    private Form(User user, String action) {
        this.user = user;
        this.action = action;
    }

    /**
     * The form that {@code selector} finds in {@code page}, with its hidden tokens and the values
     * it shows; no button is pressed.
     *
     * @param target of the page
     */
    static Form in(Response page, String target, User user, String selector) {
        var found = Jsoup.parse(page.text()).selectFirst(selector);
        if (!(found instanceof FormElement element)) {
            throw new AssertionError("expected a form " + selector + ", found " + found);
        }
        var action = target(element, target);
        var form = new Form(user, action);
        for (var value : element.formData()) {
            if (element.select("[type=submit]").stream()
                    .noneMatch(button -> button.attr("name").equals(value.key()))) {
                form.values.add(Map.entry(value.key(), value.value()));
            }
        }
        return form;
    }

    /** The form at {@code target}. */
    static Form at(String target, User user, String selector) {
        return in(user.get(target), target, user, selector);
    }

    private static String target(Element form, String page) {
        form.setBaseUri("http://site.example" + page);
        var action = form.attr("action");
        return (action.isEmpty() ? form.baseUri() : form.absUrl("action"))
                .replaceFirst("^http://[^/]*", "");
    }

    /** Replaces all values of {@code name}. */
    Form with(String name, String value) {
        values.removeIf(entry -> entry.getKey().equals(name));
        values.add(Map.entry(name, value));
        return this;
    }

    Response send() {
        return user.post(
                action,
                values.stream()
                        .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue()))
                        .collect(Collectors.joining("&")));
    }

    /** Sends the form with a file, as multipart/form-data. */
    Response send(String name, String file, String type, byte[] content) {
        var body = new ByteArrayOutputStream();
        for (var entry : values) {
            part(body, "name=\"%s\"\r\n".formatted(entry.getKey()));
            body.writeBytes(entry.getValue().getBytes(UTF_8));
        }
        part(
                body,
                "name=\"%s\"; filename=\"%s\"\r\nContent-Type: %s\r\n".formatted(name, file, type));
        body.writeBytes(content);
        body.writeBytes("\r\n--%s--\r\n".formatted(BOUNDARY).getBytes(UTF_8));
        return user.post(action, "multipart/form-data; boundary=" + BOUNDARY, body.toByteArray());
    }

    private static void part(ByteArrayOutputStream body, String fields) {
        var head = "\r\n--%s\r\nContent-Disposition: form-data; %s\r\n".formatted(BOUNDARY, fields);
        body.writeBytes(head.getBytes(UTF_8));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, UTF_8);
    }
}
