package dev.quire.news.load;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Settings of the application, which one statement of 25 to 28 ms reads. Statements run one after
 * the other, on a connection of their own. The number of rows that the statement reads is found at
 * the start.
 */
@Component
@ConditionalOnProperty("news.load-test")
class Settings implements DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(Settings.class);
    private static final int ROWS = 300_000;
    private static final int FIRST = 20_000;
    private static final int TRIALS = 15;
    private static final int ATTEMPTS = 6;
    private static final double MILLIS = 26.5;
    private static final double LEAST_MILLIS = 25;
    private static final double MOST_MILLIS = 28;
    private static final String READ =
            """
            select count(*)
            from (select md5(text || number) as digest from load_setting limit ?) as read
            where digest like 'a%'
            """;

    private final HikariDataSource database;
    private final JdbcClient client;
    private final LongAdder statements = new LongAdder();
    private int rows = FIRST;

    Settings(@Value("${news.database}") String url) {
        var configuration = new HikariConfig();
        configuration.setJdbcUrl(url);
        configuration.setMaximumPoolSize(1);
        // More than a thousand clients wait for their turn.
        configuration.setConnectionTimeout(120_000);
        configuration.setConnectionInitSql("set max_parallel_workers_per_gather = 0");
        database = new HikariDataSource(configuration);
        client = JdbcClient.create(database);
        client.sql(
                        """
                        create table if not exists load_setting as
                        select number, md5(number::text) as text
                        from generate_series(1, %d) as number
                        """
                                .formatted(ROWS))
                .update();
        calibrate();
    }

    private void calibrate() {
        double millis = 0;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            millis = millis();
            if (millis >= LEAST_MILLIS && millis <= MOST_MILLIS) {
                break;
            }
            rows = (int) Math.min(ROWS, Math.max(1, rows * MILLIS / millis));
        }
        log.info("the statement reads {} rows in {} ms", rows, millis);
    }

    private double millis() {
        return LongStream.range(0, TRIALS)
                        .map(trial -> {
                            long begin = System.nanoTime();
                            read();
                            return System.nanoTime() - begin;
                        })
                        .sorted()
                        .skip(TRIALS / 2)
                        .findFirst()
                        .orElseThrow()
                / 1e6;
    }

    /** Reads them by the statement. */
    long read() {
        statements.increment();
        return client.sql(READ).param(rows).query(Long.class).single();
    }

    /** Reads them from the object cache, if it has them. */
    @Cacheable(cacheNames = "settings", key = "'all'")
    public long cached() {
        return read();
    }

    /** Returns the number of statements so far. */
    public long statements() {
        return statements.sum();
    }

    @Override
    public void destroy() {
        database.close();
    }
}
