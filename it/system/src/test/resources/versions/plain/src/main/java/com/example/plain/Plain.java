package com.example.plain;

import dev.quire.test.EsiSite;
import dev.quire.test.wire.Answer;

/** Requests a page of a site, without any framework. */
public final class Plain {
    private Plain() {}

    public static void main(String[] args) {
        try (var site = EsiSite.scripted(origin -> origin.on("/", page()).on("/live", live()))) {
            var page = site.get("/");
            System.out.println(page.status() + " " + page.html());
            try {
                site.get("live");
            } catch (AssertionError expected) {
                System.out.println(expected.getMessage());
            }
        }
    }

    private static Answer page() {
        return Answer.html("<h1>front <esi:include src=\"/live\"/></h1>")
                .field("Surrogate-Control", "content=\"ESI/1.0\"");
    }

    private static Answer live() {
        return Answer.html("<b>live</b>").field("Cache-Control", "max-age=30");
    }
}
