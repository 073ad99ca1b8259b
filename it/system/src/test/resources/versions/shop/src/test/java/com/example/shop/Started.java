package com.example.shop;

import dev.quire.test.EsiSite;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.context.TestContextManager;

/** The application started as for Spring tests, without Spring's extension. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureMockMvc
@AutoConfigureEsi
final class Started {
    private Started() {}

    static EsiSite site(EsiMode mode) {
        var context = new TestContextManager(Started.class).getTestContext();
        return SpringSite.over(context.getApplicationContext(), mode);
    }
}
