package com.example.shop;

import dev.quire.spring.Esi;
import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.OnError;
import dev.quire.spring.invalidate.InvalidatesFragments;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseBody;

@SpringBootApplication
public class Shop {

    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @Controller
    static class Pages {
        private static final String HTML = "text/html;charset=UTF-8";

        private final AtomicInteger changes = new AtomicInteger();

        @GetMapping(path = "/", produces = HTML)
        @EsiPage(ttl = "1h")
        @ResponseBody
        String front() {
            return "<h1>Shop</h1><p>"
                    + Esi.include("/live").onError(OnError.CONTINUE).toHtml()
                    + "</p>";
        }

        @GetMapping(path = "/live", produces = HTML)
        @EsiFragment(ttl = "30s", tags = "live")
        @ResponseBody
        String live() {
            return "<b>live</b> after " + changes.get();
        }

        /** Wrong: it shows one reader's name to all. */
        @GetMapping(path = "/greeting", produces = HTML)
        @EsiFragment(ttl = "30s")
        @ResponseBody
        String greeting(
                @RequestHeader(name = "X-Account", defaultValue = "nobody") String account) {
            return "<i>Hello, " + account + "</i>";
        }

        @PostMapping("/change")
        @InvalidatesFragments(tags = "live")
        @ResponseBody
        String change() {
            return "changed " + changes.incrementAndGet();
        }
    }
}
