package dev.quire.news.load;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code /load-test/...}: empty responses for each way to cache the settings: not at all, in the
 * object cache of the application, and in a cache in front of it.
 */
@RestController
@ConditionalOnProperty("news.load-test")
class LoadTestPages {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final Settings settings;
    private final LongAdder requests = new LongAdder();

    LoadTestPages(Settings settings) {
        this.settings = settings;
    }

    @GetMapping("/load-test/no-cache")
    ResponseEntity<Void> notCached() {
        settings.read();
        requests.increment();
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).build();
    }

    @GetMapping("/load-test/cache")
    ResponseEntity<Void> inObjectCache() {
        settings.cached();
        requests.increment();
        return ResponseEntity.ok().cacheControl(CacheControl.noStore()).build();
    }

    @GetMapping("/load-test/edge")
    ResponseEntity<Void> inFront() {
        settings.read();
        requests.increment();
        return ResponseEntity.ok().cacheControl(CacheControl.maxAge(MINUTE)).build();
    }

    /** Without a statement, so that a cache can be filled with many of them. */
    @GetMapping("/load-test/many")
    ResponseEntity<Void> many() {
        requests.increment();
        return ResponseEntity.ok().cacheControl(CacheControl.maxAge(HOUR)).build();
    }

    /** The numbers of answered requests and of statements so far. */
    @GetMapping("/load-test/counts")
    ResponseEntity<String> counts() {
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noStore())
                .body(requests.sum() + " " + settings.statements());
    }
}
