package dev.quire.spring;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.MockMvc;

/** Sliced tests of an application: policies, guard and arguments are configured automatically. */
@WebMvcTest
@ContextConfiguration(classes = {Site.class, MeasuredFacts.class})
class SlicedTest {

    @Autowired private MockMvc mvc;

    @Test
    void policiesAreWrittenForASurrogate() throws Exception {
        mvc.perform(get("/page").header("Surrogate-Capability", "q=\"ESI/1.0\""))
                .andExpect(status().isOk())
                .andExpect(
                        header().string(
                                        "Surrogate-Control",
                                        "max-age=60+30, stale-if-error=3600, content=\"ESI/1.0\""))
                .andExpect(header().string("Surrogate-Key", "page front"))
                .andExpect(header().string("Cache-Control", "no-cache"));
    }

    @Test
    void theGuardWorks() throws Exception {
        mvc.perform(get("/session").header("Surrogate-Capability", "q=\"ESI/1.0\""))
                .andExpect(header().string("Cache-Control", "private, no-store"))
                .andExpect(header().doesNotExist("Surrogate-Control"));
    }

    @Test
    void ourArgumentsAreResolved() throws Exception {
        mvc.perform(get("/facts/speaks").header("Surrogate-Capability", "q=\"ESI/1.0\""))
                .andExpect(content().string("true"));
    }
}
